import t from 'tap';
import { POSTGRESQL } from '../../../../server/store/jobs/dialect.ts';
import { PgBossTickets } from '../../../../server/store/jobs/pg-boss-tickets.ts';
import { quietLog } from '../../../../server/testing/collaborators.ts';
import { JOB, openJobs, openOnPostgres, postgresPlace, RESULT } from '../../../support/job-stores.ts';
import { noPostgres, startPostgres } from '../../../support/postgres.ts';
import { openStore, STEPS } from '../../../support/stores.ts';
import { until } from '../../../support/until.ts';
import { largeJobCases } from '../jobs/large-job-cases.ts';
import { stateCases } from '../jobs/state-cases.ts';
import { wholeJobCases } from '../jobs/whole-job-cases.ts';
import { pipelineCases } from '../pipeline-cases.ts';

/** The same cases as on SQLite, and what only PostgreSQL has. */

const OPEN_TICKETS = `select singleton_key as key from chunksmith_queue.job
  where name = 'chunksmith-bulk' and state in ('created', 'retry', 'active') order by priority desc`;

t.test('PostgreSQL', { skip: noPostgres }, async (t) => {
  const server = await startPostgres(t);

  await t.test('pipelines', (t) => pipelineCases(t, async () => postgresPlace(server)));

  for (const cases of [stateCases, wholeJobCases, largeJobCases]) await cases(t, openOnPostgres(server));

  await t.test(
    'a database that nobody created is refused with what creates it, and not created',
    async (t) => {
      const databaseUrl = server.freshUrl();
      for (let time = 0; time < 2; time++) {
        const opening = openStore(t, { dataDir: '/nowhere', databaseUrl });
        await t.rejects(
          opening,
          /it does not exist; correct DATABASE_URL, or create it with: createdb --host 127\.0\.0\.1 .* test_\w+$/,
        );
      }
    },
  );

  await t.test('tickets of pg-boss', async (t) => {
    const fresh = async () => openJobs(t, await postgresPlace(server));

    await t.test('are written in the transaction that opens their shards, and go with it', async (t) => {
      const { store, database, settings, sql, drain } = await fresh();
      const { job } = await store.create(JOB);
      await store.cancel(job.id);
      await drain();
      const { em } = await database.open();
      const table = { em, dialect: POSTGRESQL, settings: settings.queue };
      const tickets = new PgBossTickets(table, em.getConnection().getConnectionOptions(), quietLog);
      t.teardown(() => tickets.close());
      const shards = [{ seq: 1, kind: 'chunk', rank: 1 }] as const;
      const rolledBack = em.fork().transactional(async (tx) => {
        await tickets.send(tx, job.id, shards);
        t.same(await sql(OPEN_TICKETS), [], 'nobody sees it before');
        throw new Error('no');
      });
      await t.rejects(rolledBack, /no/);
      t.same(await sql(OPEN_TICKETS), []);
      for (let time = 0; time < 2; time++) {
        await em.fork().transactional((tx) => tickets.send(tx, job.id, shards));
      }
      t.same(await sql(OPEN_TICKETS), [{ key: `${job.id}/1` }], 'a shard has one at most');
      t.equal(await tickets.claim('w'), undefined, 'without a row it stands for nothing');
      t.same(await sql(OPEN_TICKETS), []);
    });

    await t.test('are left over by nothing', async (t) => {
      const { store, sql, next, plan, drain } = await fresh();
      await plan(3, { notifies: true });
      await store.fail(await next(), { code: 'internal', values: {} }, true);
      await store.giveBack(await next());
      await drain();
      t.same(await sql(OPEN_TICKETS), []);
      const id = await plan(5);
      const running = await next();
      t.equal((await sql(OPEN_TICKETS)).length, 5);
      await store.cancel(id);
      t.notOk(await store.commit(running, RESULT));
      await until(async () => (await sql(OPEN_TICKETS)).length === 0);
    });

    await t.test('are made at the start for shards without: opened by a version that had none', async (t) => {
      const { store, settings, sql, next, plan } = await fresh();
      const id = await plan(2500);
      await store.commit(await next(), RESULT);
      await sql('delete from chunksmith_queue.job');
      t.equal(await store.claim('w'), undefined);
      const { drain } = await openJobs(t, settings);
      await drain();
      t.match(await store.get(id), { state: 'done', shards: { done: 2500 } });
      t.same(await sql(OPEN_TICKETS), []);
    });

    await t.test('of a shard that another worker has by its lease give nobody the shard', async (t) => {
      const { store, settings, sql, next, plan } = await fresh();
      await plan(1);
      const mine = await next();
      await sql(`delete from chunksmith_queue.job where singleton_key = ?`, [`${mine.jobId}/0`]);
      await sql('update bulk_shards set due_at = 0 where seq = 0');
      const other = await openJobs(t, settings);
      t.ok(await store.renew(mine), 'its worker was only slow');
      t.equal(await other.store.claim('w'), undefined);
      t.equal((await sql(OPEN_TICKETS)).length, 1, 'and wait for its end');
      t.ok(await store.commit(mine, RESULT));
    });

    await t.test('are kept as long as their shards: for years', async (t) => {
      const { sql, plan } = await fresh();
      await plan(1);
      const early = `select count(*) as count from chunksmith_queue.job where keep_until < now() + interval '9 years'`;
      t.same(await sql(early), [{ count: 0 }]);
    });

    await t.test('whose shard was opened again while a worker had it come back to others', async (t) => {
      const { store, sql, next, plan } = await fresh();
      for (const isHeard of [true, false]) {
        const id = await plan(1);
        const late = await next();
        await store.cancel(id);
        await store.retry(id);
        if (isHeard) t.notOk(await store.renew(late), 'its worker hears of it');
        else await sql(`update chunksmith_queue.job set heartbeat_on = now() - interval '1 hour'`);
        t.match(await next(), { jobId: id, seq: 0, attempt: 3, failures: 0 });
        t.notOk(await store.commit(late, RESULT));
        await store.cancel(id);
      }
    });

    await t.test('that nobody could work on, time and again, are dead letters', async (t) => {
      const { store, sql, next, plan } = await fresh();
      const die = (seq: number) =>
        sql(
          `update chunksmith_queue.job set state = 'active', retry_count = retry_limit,
            heartbeat_on = now() - interval '1 hour' where state < 'completed' and singleton_key = ?`,
          [`${id}/${seq}`],
        );
      const id = await plan(2);
      const mine = await next();
      await die(0);
      await die(1);
      t.match(await next(), { seq: 1, attempt: 1, failures: 0 }, 'on one nobody has begun: it runs');
      t.ok(await store.renew(mine), 'another one has a worker, which goes on');
      await sql('update bulk_shards set due_at = 0 where seq = 0');
      await die(0);
      await until(
        async () => (await store.claim('w')) === undefined && (await store.get(id)).shards.failed === 1,
      );
      const failed = { seq: 0, state: 'failed', failures: 3, error: { code: 'worker_lost' } };
      t.match(await store.shards(id, { limit: 1 }), { shards: [failed] });
      t.notOk(await store.commit(mine, RESULT));
    });
  });

  await t.test('one connection serves pipelines and jobs', async (t) => {
    const place = await postgresPlace(server);
    const pipelines = await openStore(t, place);
    const { store } = await openJobs(t, place);
    const one = { name: 'one', description: null, steps: STEPS };
    await Promise.all([pipelines.create(one), store.create(JOB), store.create(JOB)]);
    t.equal((await pipelines.list({ limit: 9 })).pipelines.length, 1);
    t.equal((await store.list({ limit: 9 })).jobs.length, 2);
  });
});
