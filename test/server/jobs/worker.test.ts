import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { ServiceError } from '../../../core/errors.ts';
import type { ShardOutcome } from '../../../server/jobs/work-on-shard.ts';
import { startWorker, type WorkerOptions } from '../../../server/jobs/worker.ts';
import type { Claim, ShardKind, ShardResult } from '../../../server/store/jobs/contract.ts';
import { quietLog } from '../../../server/testing/collaborators.ts';
import { JOB, NOTHING, openJobs, plan, RESULT, sqlitePlace } from '../../support/job-stores.ts';
import { until } from '../../support/process.ts';
import type { Cleanup } from '../../support/server.ts';

type Work = (claim: Claim, signal: AbortSignal) => Promise<ShardResult>;

/** Work of all kinds that is done at once, but for chunks. */
function workOf(chunk: Work): Readonly<Record<ShardKind, Work>> {
  const nothing = async () => NOTHING;
  return { plan: nothing, chunk, finish: nothing, notify: nothing };
}

/** A worker on a real store; what becomes of its shards is noted. */
async function start(t: Cleanup, given: Partial<WorkerOptions> & Pick<WorkerOptions, 'store' | 'work'>) {
  const outcomes: ShardOutcome[] = [];
  const worker = startWorker({
    log: quietLog,
    name: 'w',
    concurrency: 2,
    leaseSeconds: 0.6,
    onShard: (outcome) => outcomes.push(outcome),
    ...given,
  });
  t.teardown(() => worker.stop(0));
  return { worker, outcomes };
}

/** Work that ends when it is told to stop, with its reason. */
const untilStopped: Work = (_claim, signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

t.test('a worker does what there is, and what comes later when it is woken', async (t) => {
  const jobs = await openJobs(t, await sqlitePlace(t));
  const first = await plan(jobs, 3);
  const { worker } = await start(t, { store: jobs.store, work: workOf(async () => RESULT) });
  await until(async () => (await jobs.store.get(first)).state === 'done');
  const { job } = await jobs.store.create(JOB);
  worker.wake();
  await until(async () => (await jobs.store.get(job.id)).state === 'done');
  t.same((await jobs.store.get(first)).documents, { done: 6, failed: 0 });
});

t.test('a lease is kept as long as the work goes on', async (t) => {
  const jobs = await openJobs(t, await sqlitePlace(t), { leaseSeconds: 0.6 });
  const id = await plan(jobs, 1);
  const work = workOf(async () => {
    await sleep(2000);
    return RESULT;
  });
  const { outcomes } = await start(t, { store: jobs.store, work });
  await until(async () => (await jobs.store.get(id)).state === 'done');
  const { shards } = await jobs.store.shards(id, { limit: 1 });
  t.match(shards, [{ attempt: 1, failures: 0 }]);
  t.same(new Set(outcomes), new Set(['done']));
});

t.test('work on a shard that is lost is stopped, and settles nothing', async (t) => {
  const jobs = await openJobs(t, await sqlitePlace(t));
  const id = await plan(jobs, 1);
  const { outcomes } = await start(t, { store: jobs.store, work: workOf(untilStopped) });
  await until(async () => (await jobs.store.shards(id, { limit: 1 })).shards[0]?.state === 'running');
  await jobs.store.cancel(id);
  await until(() => outcomes.length > 0);
  t.same(outcomes, ['lost']);
  t.equal((await jobs.store.get(id)).state, 'cancelled');
});

t.test('a worker that stops gives back what is not done, for others to do at once', async (t) => {
  const jobs = await openJobs(t, await sqlitePlace(t));
  const id = await plan(jobs, 3);
  const { worker, outcomes } = await start(t, { store: jobs.store, work: workOf(untilStopped) });
  await until(async () => (await jobs.store.load()).shards.running === 2);
  await worker.stop(0.1);
  t.same(outcomes, ['returned', 'returned']);
  const { shards } = await jobs.store.shards(id, { limit: 5 });
  t.match(
    shards,
    [0, 1, 2].map(() => ({ state: 'ready', failures: 0 })),
  );
});

t.test('a worker that stops finishes what ends within the grace', async (t) => {
  const jobs = await openJobs(t, await sqlitePlace(t));
  await plan(jobs, 2);
  const begun = Promise.withResolvers<void>();
  const work = workOf(async () => {
    begun.resolve();
    await sleep(300);
    return RESULT;
  });
  const { worker, outcomes } = await start(t, { store: jobs.store, work });
  await begun.promise;
  await worker.stop(30);
  t.same(new Set(outcomes), new Set(['done']));
});

t.test('what would fail again fails for good, anything else is tried again', async (t) => {
  for (const [error, attempts] of [
    [new ServiceError('source_changed', { source: 'a.jsonl' }), 1],
    [new ServiceError('missing_capability', { kind: 'sink', name: 'x', reasons: 'no' }), 1],
    [new ServiceError('storage_failed', { storage: 'disk', reason: 'it is full' }), 3],
    [new Error('anything'), 3],
  ] as const) {
    const jobs = await openJobs(t, await sqlitePlace(t));
    const id = await plan(jobs, 1);
    await start(t, { store: jobs.store, work: workOf(() => Promise.reject(error)) });
    await until(async () => (await jobs.store.get(id)).state === 'failed');
    const { shards } = await jobs.store.shards(id, { limit: 1 });
    t.match(shards, [{ state: 'failed', attempt: attempts }], error.message);
    const code = error instanceof ServiceError ? error.code : 'internal';
    t.match((await jobs.store.get(id)).error, { code });
  }
});

t.test('a result is kept while the database does not answer', async (t) => {
  const jobs = await openJobs(t, await sqlitePlace(t));
  const id = await plan(jobs, 1);
  let refusals = 0;
  const store = {
    ...jobs.store,
    commit: async (...given: Parameters<typeof jobs.store.commit>) => {
      if (given[0].kind === 'chunk' && refusals++ < 2) {
        throw new ServiceError('store_unavailable', { reason: 'away', seconds: 1 });
      }
      return jobs.store.commit(...given);
    },
  };
  let runs = 0;
  const work = workOf(async () => {
    runs++;
    return RESULT;
  });
  await start(t, { store, work });
  await until(async () => (await jobs.store.get(id)).state === 'done');
  t.equal(runs, 1);
  t.equal(refusals, 3);
});
