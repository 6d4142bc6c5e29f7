import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { ServiceError } from '../../../../core/errors.ts';
import { JobWorker, type ShardOutcome } from '../../../../server/corpora/jobs/worker.ts';
import {
  type Claim,
  type JobStore,
  NO_DOCUMENTS,
  type ShardProgress,
  type ShardResult,
} from '../../../../server/store/jobs/contract.ts';
import { quietLog } from '../../../../server/testing/collaborators.ts';
import { openOnSqlite, RESULT } from '../../../support/job-stores.ts';
import { until } from '../../../support/until.ts';

interface Options {
  /** As the store sees it; the worker renews one of 0.6 s. */
  readonly leaseSeconds?: number;
  /** What does the work of a member of the store. */
  readonly instead?: (store: JobStore) => Partial<JobStore>;
}

type Work = (
  claim: Claim,
  signal: AbortSignal,
  onProgress: (progress: ShardProgress) => void,
) => Promise<ShardResult>;

/**
 * A worker and a job of so many shards on a real store; what becomes of the shards is noted.
 *
 * @param chunk what is done with each of them; all other work is done at once
 */
async function start(t: Test, shards: number, chunk: Work, { leaseSeconds = 6, instead }: Options = {}) {
  const { store, plan } = await openOnSqlite(t, { leaseSeconds });
  const id = await plan(shards);
  const outcomes: ShardOutcome[] = [];
  const nothing = async () => NO_DOCUMENTS;
  const worker = new JobWorker({
    log: quietLog,
    name: 'w',
    concurrency: 2,
    leaseSeconds: 0.6,
    onShard: (outcome) => outcomes.push(outcome),
    store: Object.assign(Object.create(store), instead?.(store)),
    work: { plan: nothing, chunk, finish: nothing, notify: nothing },
  });
  t.teardown(() => worker.stop(0));
  return {
    store,
    id,
    worker,
    outcomes,
    shards: async () => (await store.shards(id, { limit: 5 })).shards,
    /** Waits until the job is in a state. */
    is: (state: string) => until(async () => (await store.get(id)).state === state),
  };
}

/** Work that ends when it is told to stop, with its reason. */
const untilStopped: Work = (_claim, signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

t.test('a lease is kept as long as the work goes on', async (t) => {
  const { is, shards, outcomes } = await start(t, 1, () => sleep(5000, RESULT), { leaseSeconds: 2 });
  await is('done');
  t.match(await shards(), [{ attempt: 1, failures: 0 }]);
  t.same(new Set(outcomes), new Set(['done']));
});

t.test('the progress of a shard is in its job before it is done', async (t) => {
  const seen = Promise.withResolvers<void>();
  const { store, id, is } = await start(t, 1, async (_claim, _signal, onProgress) => {
    onProgress({ documents: 1, failed: 1, chunks: 0, bytes: 1 });
    onProgress({ documents: 2, failed: 1, chunks: 3, bytes: 4 });
    await seen.promise;
    return RESULT;
  });
  await until(async () => (await store.get(id)).counts.failed === 1);
  t.match(await store.get(id), {
    state: 'running',
    counts: { documents: 2, failed: 1, chunks: 3, bytes: 4 },
  });
  seen.resolve();
  await is('done');
  t.equal((await store.get(id)).counts.chunks, RESULT.counts.chunks);
});

t.test('work on a shard that is lost is stopped, and settles nothing', async (t) => {
  const { store, id, shards, outcomes } = await start(t, 1, untilStopped);
  await until(async () => (await shards())[0]?.state === 'running');
  await store.cancel(id);
  await until(() => outcomes.length > 0);
  t.same(outcomes, ['lost']);
  t.equal((await store.get(id)).state, 'cancelled');
});

t.test('a worker that stops gives back what is not done, for others to do at once', async (t) => {
  let begun = 0;
  const { worker, shards, outcomes } = await start(t, 3, (...given) => {
    begun++;
    return untilStopped(...given);
  });
  await until(() => begun === 2);
  await worker.stop(0.1);
  t.same(outcomes, ['returned', 'returned']);
  const ready = { state: 'ready', failures: 0 };
  t.match(await shards(), [ready, ready, ready]);
});

t.test('a worker that stops finishes what ends within the grace', async (t) => {
  const begun = Promise.withResolvers<void>();
  const { worker, outcomes } = await start(t, 2, async () => {
    begun.resolve();
    return sleep(300, RESULT);
  });
  await begun.promise;
  await worker.stop(30);
  t.same(new Set(outcomes), new Set(['done']));
});

t.test('what would fail again fails for good, anything else is tried again', async (t) => {
  for (const [error, attempt, code] of [
    [new ServiceError('source_changed', { source: 'a.jsonl' }), 1, 'source_changed'],
    [
      new ServiceError('missing_capability', { kind: 'sink', name: 'x', reasons: 'no' }),
      1,
      'missing_capability',
    ],
    [new ServiceError('storage_failed', { storage: 'disk', reason: 'it is full' }), 3, 'storage_failed'],
    [new Error('anything'), 3, 'internal'],
  ] as const) {
    const { store, id, is, shards } = await start(t, 1, () => Promise.reject(error));
    await is('failed');
    t.match(await shards(), [{ state: 'failed', attempt }], error.message);
    t.match((await store.get(id)).error, { code });
  }
});

t.test('a result is kept while the database does not answer', async (t) => {
  let [runs, refusals] = [0, 0];
  const work = async () => {
    runs++;
    return RESULT;
  };
  const instead = ({ commit }: JobStore): Partial<JobStore> => ({
    async commit(...given) {
      if (given[0].kind !== 'chunk' || refusals++ >= 2) return commit(...given);
      throw new ServiceError('store_unavailable', { reason: 'away', seconds: 1 });
    },
  });
  const { is } = await start(t, 1, work, { instead });
  await is('done');
  t.equal(runs, 1);
  t.equal(refusals, 3);
});
