import t, { type Test } from 'tap';
import { JOB, type OpenJobs, openJobs, postgresPlace, RESULT } from '../../../support/job-stores.ts';
import { noPostgres, type Postgres, startPostgres } from '../../../support/postgres.ts';
import { failure, openStore } from '../../../support/stores.ts';
import { noPgBouncer, startPgBouncer } from '../pgbouncer.ts';

/** Does all shards with two workers at once. */
const work = async ({ drain }: OpenJobs) => (await Promise.all([drain(), drain()])).flat();

async function stopAndStart(t: Test, server: Postgres): Promise<void> {
  const jobs = await openJobs(t, await postgresPlace(server));
  const { store } = jobs;
  const id = await jobs.plan(30);
  const claim = await jobs.next();
  const asked = { ...JOB, idempotencyKey: 'once' };
  await server.stop();
  const answers = Promise.all([
    store.get(id),
    store.commit(claim, RESULT),
    store.create(asked),
    store.load(),
  ]);
  await server.start();
  const [job, isMine, { isNew }] = await answers;
  t.equal(job.state, 'running', 'what is asked meanwhile waits for it');
  t.ok(isMine);
  t.ok(isNew);
  const again = await store.create(asked);
  t.notOk(again.isNew);
  await store.cancel(again.job.id);
  const done = await work(jobs);
  t.equal(new Set(done).size, done.length, 'nothing is done twice');
  t.match(await store.get(id), { state: 'done', counts: { documents: 60, failed: 0, chunks: 120 } });
  await server.stop();
  t.equal(await failure(store.get(id)), 'store_unavailable', 'in the end it says so');
  await server.start();
  t.equal((await store.get(id)).state, 'done');
}

/** Two stores work behind pgbouncer in transaction mode. */
async function pool(t: Test, server: Postgres): Promise<void> {
  const direct = await postgresPlace(server);
  await openStore(t, direct);
  const place = { ...direct, databaseUrl: await startPgBouncer(t, direct.databaseUrl) };
  const [jobs, others] = [await openJobs(t, place), await openJobs(t, place)];
  const id = await jobs.plan(40);
  const lost = await jobs.next();
  const done = await Promise.all([work(jobs), work(others)]);
  t.notSame(done[0], [], 'both have their part');
  t.notSame(done[1], []);
  t.match(await jobs.store.get(id), { state: 'running', shards: { open: 1 } });
  await jobs.lose(lost);
  const taken = await others.next();
  t.same([taken.seq, taken.attempt], [lost.seq, 2]);
  t.notOk(await jobs.store.commit(lost, RESULT));
  t.ok(await others.store.commit(taken, RESULT));
  await work(jobs);
  t.match(await jobs.store.get(id), { state: 'done', counts: { documents: 80, failed: 0 } });
}

t.test('a database that is lost for a while', { skip: noPostgres }, async (t) => {
  const server = await startPostgres(t);
  await t.test('PostgreSQL stops and starts again', (t) => stopAndStart(t, server));
  await t.test('behind pgbouncer in transaction mode', { skip: noPgBouncer }, (t) => pool(t, server));
});
