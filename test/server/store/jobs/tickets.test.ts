import t from 'tap';
import { createDatabase } from '../../../../server/store/create-database.ts';
import { POSTGRESQL } from '../../../../server/store/jobs/dialect.ts';
import { createPgBossDispatch } from '../../../../server/store/jobs/pg-boss-dispatch.ts';
import { monitorOf } from '../../../../server/store/jobs/start-pg-boss.ts';
import { quietLog } from '../../../../server/testing/collaborators.ts';
import { drain, JOB, openJobs, plan, postgresPlace, RESULT, SETTINGS } from '../../../support/job-stores.ts';
import { noPostgres, startPostgres } from '../../../support/postgres.ts';
import { until } from '../../../support/process.ts';

const OPEN_TICKETS = `select singleton_key as key from chunksmith_queue.job
  where name = 'chunksmith-bulk' and state in ('created', 'retry', 'active') order by priority desc`;

t.test('tickets of pg-boss', { skip: noPostgres }, async (t) => {
  const server = await startPostgres(t);
  const fresh = () => openJobs(t, postgresPlace(server), { queue: 'pg-boss' });

  await t.test('are written in the transaction that opens their shards, and go with it', async (t) => {
    const { store, settings, sql } = await fresh();
    const { job } = await store.create(JOB);
    await store.cancel(job.id);
    await drain(store);
    const database = createDatabase(settings, quietLog);
    t.teardown(() => database.close());
    const { em } = await database.open();
    const table = { em, dialect: POSTGRESQL, settings: settings.queue };
    const dispatch = createPgBossDispatch(table, em.getConnection().getConnectionOptions(), quietLog);
    t.teardown(() => dispatch.close());
    const shards = [{ seq: 1, kind: 'chunk', rank: 1 }] as const;
    const rolledBack = em.fork().transactional(async (tx) => {
      await dispatch.send(tx, job.id, shards);
      t.same(await sql(OPEN_TICKETS), [], 'nobody sees it before');
      throw new Error('no');
    });
    await t.rejects(rolledBack, /no/);
    t.same(await sql(OPEN_TICKETS), []);
    for (let time = 0; time < 2; time++) {
      await em.fork().transactional((tx) => dispatch.send(tx, job.id, shards));
    }
    t.same(await sql(OPEN_TICKETS), [{ key: `${job.id}/1` }], 'a shard has one at most');
    t.equal(await dispatch.claim('w'), undefined, 'without a row it stands for nothing');
    t.same(await sql(OPEN_TICKETS), []);
  });

  await t.test('are left over by nothing', async (t) => {
    const jobs = await fresh();
    const { store, sql, next } = jobs;
    await plan(jobs, 3, { notifies: true });
    const failing = await next();
    await store.fail(failing, { code: 'internal', values: {} }, true);
    await store.giveBack(await next());
    await drain(store);
    t.same(await sql(OPEN_TICKETS), []);
    const id = await plan(jobs, 5);
    const running = await next();
    t.equal((await sql(OPEN_TICKETS)).length, 5);
    await store.cancel(id);
    t.notOk(await store.commit(running, RESULT));
    await until(async () => (await sql(OPEN_TICKETS)).length === 0);
  });

  await t.test('that are lost are made again', async (t) => {
    const jobs = await fresh();
    const id = await plan(jobs, 250);
    await jobs.store.commit(await jobs.next(), RESULT);
    await jobs.sql(`delete from chunksmith_queue.job where singleton_key is not null`);
    await until(async () => (await jobs.sql(OPEN_TICKETS)).length === 249);
    await drain(jobs.store);
    t.equal((await jobs.store.get(id)).state, 'done');
  });

  await t.test('of a shard that another worker has by its lease give nobody the shard', async (t) => {
    const jobs = await fresh();
    await plan(jobs, 1);
    const mine = await jobs.next();
    await jobs.sql(`delete from chunksmith_queue.job where singleton_key = ?`, [`${mine.jobId}/0`]);
    await jobs.sql('update bulk_shards set due_at = 0 where seq = 0');
    await until(async () => (await jobs.sql(OPEN_TICKETS)).length === 1);
    t.ok(await jobs.store.renew(mine), 'its worker was only slow');
    t.equal(await jobs.store.claim('w'), undefined);
    t.ok(await jobs.store.commit(mine, RESULT));
  });
});

t.test('a lost worker is noticed within the time of its lease', async (t) => {
  const latest = (leaseSeconds: number) =>
    Math.max(10, leaseSeconds) + 2 * monitorOf({ ...SETTINGS, leaseSeconds });
  t.ok(latest(30) <= 45 - 1, 'by default, with a second to ask for work');
  t.ok(latest(10) <= 15 - 1, 'at the least');
});

t.test('pg-boss needs PostgreSQL', async (t) => {
  const place = { dataDir: t.testdir(), databaseUrl: '' };
  await t.rejects(openJobs(t, place, { queue: 'pg-boss' }), /pg-boss needs PostgreSQL: set DATABASE_URL/);
});
