import t, { type Test } from 'tap';
import type { JobStore } from '../../../../server/store/jobs/contract.ts';
import { drain, JOB, openJobs, plan, postgresPlace, RESULT } from '../../../support/job-stores.ts';
import { noPgBouncer, startPgBouncer } from '../../../support/pgbouncer.ts';
import { noPostgres, startPostgres } from '../../../support/postgres.ts';
import { failure, openStore, STEPS } from '../../../support/stores.ts';

const QUEUES = ['lease', 'pg-boss'] as const;

/** Does all shards with two workers at once. */
async function work(store: JobStore): Promise<string[]> {
  return (await Promise.all([drain(store), drain(store)])).flat();
}

for (const queue of QUEUES) {
  t.test(
    `PostgreSQL stops and starts again, with the queue ${queue}`,
    { skip: noPostgres },
    async (t: Test) => {
      const server = await startPostgres(t);
      const jobs = await openJobs(t, postgresPlace(server), { queue });
      const { store } = jobs;
      const id = await plan(jobs, 30);
      const claim = await jobs.next();
      await server.stop();
      const asked = Promise.all([
        store.get(id),
        store.commit(claim, RESULT),
        store.create({ ...JOB, idempotencyKey: 'once' }),
        store.load(),
      ]);
      await server.start();
      const [job, isMine, { isNew }] = await asked;
      t.equal(job.state, 'running', 'what is asked meanwhile waits for it');
      t.ok(isMine);
      t.ok(isNew);
      t.notOk((await store.create({ ...JOB, idempotencyKey: 'once' })).isNew);
      const { job: cancelled } = await store.create({ ...JOB, idempotencyKey: 'once' });
      await store.cancel(cancelled.id);
      const done = await work(store);
      t.equal(new Set(done).size, done.length, 'nothing is done twice');
      t.match(await store.get(id), { state: 'done', documents: { done: 60 }, chunks: 120 });
      await server.stop();
      t.equal(await failure(store.get(id)), 'store_unavailable', 'in the end it says so');
      await server.start();
      t.equal((await store.get(id)).state, 'done');
    },
  );

  const missing = noPostgres || noPgBouncer;
  t.test(
    `behind pgbouncer in transaction mode, with the queue ${queue}`,
    { skip: missing },
    async (t: Test) => {
      const server = await startPostgres(t);
      const { databaseUrl, dataDir } = postgresPlace(server);
      await openStore(t, { databaseUrl, dataDir });
      const place = { dataDir, databaseUrl: await startPgBouncer(t, databaseUrl) };
      const jobs = await openJobs(t, place, { queue });
      const others = await openJobs(t, place, { queue });
      const id = await plan(jobs, 40);
      const lost = await jobs.next();
      const done = await Promise.all([work(jobs.store), work(others.store)]);
      t.ok(
        done.every((own) => own.length > 0),
        'both have their part',
      );
      t.match(await jobs.store.get(id), { state: 'running', shards: { open: 1 } });
      await jobs.lose(lost);
      const taken = await others.next();
      t.same([taken.seq, taken.attempt], [lost.seq, 2]);
      t.notOk(await jobs.store.commit(lost, RESULT));
      t.ok(await others.store.commit(taken, RESULT));
      await work(jobs.store);
      t.match(await jobs.store.get(id), { state: 'done', documents: { done: 80 } });
    },
  );
}

t.test('one connection serves pipelines and jobs', { skip: noPostgres }, async (t) => {
  const server = await startPostgres(t);
  const place = postgresPlace(server);
  const pipelines = await openStore(t, place);
  const { store } = await openJobs(t, place, { queue: 'lease' });
  await Promise.all([
    pipelines.create({ name: 'one', description: null, steps: STEPS }),
    store.create(JOB),
    store.create(JOB),
  ]);
  t.equal((await pipelines.list({ limit: 9 })).pipelines.length, 1);
  t.equal((await store.list({ limit: 9 })).jobs.length, 2);
});
