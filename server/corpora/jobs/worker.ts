import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../core/contracts/collaborators.ts';
import { reasonOf, ServiceError, toPlainError } from '../../../core/errors.ts';
import { withRetries } from '../../config/retry.ts';
import { unlessAborted } from '../../engine/abort.ts';
import type { Claim, JobStore, ShardKind, ShardResult } from '../../store/jobs/contract.ts';
import { notRead } from '../skips.ts';

/** Works on shards of jobs as long as there are any. */
export interface JobWorker {
  /** Polls now; call it after a job was created or reopened. */
  wake(): void;
  /**
   * Takes no more shards. Those not finished after the grace period are given back, so that other workers can take
   * them at once.
   *
   * @param graceSeconds 0 gives them back now
   */
  stop(graceSeconds: number): Promise<void>;
}

type WorkerStore = Pick<JobStore, 'claim' | 'renew' | 'commit' | 'fail' | 'giveBack'>;

export interface WorkerOptions {
  readonly store: WorkerStore;
  /** Does the work of a shard. @param signal aborts once the shard is lost, or is to be given back */
  readonly work: Readonly<Record<ShardKind, (claim: Claim, signal: AbortSignal) => Promise<ShardResult>>>;
  readonly log: Log;
  readonly leaseSeconds: number;
  /** Removes the results of a shard that the worker has lost. @param refused the invalid result */
  discard?(claim: Claim, refused: ShardResult | undefined): Promise<void>;
  /** Called for each shard that was settled. */
  onSettled?(claim: Claim): Promise<void>;
  /** Called for each processed shard. @param skipped files that were not read */
  onShard?(outcome: ShardOutcome, seconds: number, skipped: number): void;
  /** The worker's name in lists. */
  readonly name: string;
  /** Maximum concurrent shards. */
  readonly concurrency: number;
  /** Called before each poll. */
  onTurn?(): void;
}

/** How the work on a shard ended; `lost` if another worker has taken it over. */
export type ShardOutcome = 'done' | 'failed' | 'lost' | 'returned';

/** Milliseconds between polls that find nothing. */
const POLL = 1000;

/** Starts a worker, which polls for shards at once. */
export function startWorker(options: WorkerOptions): JobWorker {
  const stopping = new AbortController();
  let woken = Promise.withResolvers<void>();
  const state: WorkerState = {
    options,
    working: new Map(),
    taking: Promise.resolve(),
    stopping: stopping.signal,
    idle: () => Promise.race([woken.promise, pause(stopping.signal)]),
  };
  const loops = Array.from({ length: options.concurrency }, () => loop(state));
  const wake = () => {
    woken.resolve();
    woken = Promise.withResolvers();
  };
  return {
    wake,
    async stop(graceSeconds) {
      stopping.abort();
      wake();
      const giveBack = () => {
        for (const one of state.working.values()) one.abort(new ShardReturned());
      };
      const timer = setTimeout(giveBack, graceSeconds * 1000);
      await Promise.all(loops);
      clearTimeout(timer);
    },
  };
}

interface WorkerState {
  readonly options: WorkerOptions;
  /** The work on the shards in progress, and what stops it. */
  readonly working: Map<Promise<void>, AbortController>;
  /** Until then no other worker may take a shard. */
  taking: Promise<void>;
  readonly stopping: AbortSignal;
  /** Waits until it is time to poll again. */
  idle(): Promise<void>;
}

async function pause(signal: AbortSignal): Promise<void> {
  const jitter = POLL * (0.75 + Math.random() / 2);
  await sleep(jitter, undefined, { signal, ref: false }).catch(() => {});
}

async function loop(state: WorkerState): Promise<void> {
  while (!state.stopping.aborted) {
    const turn = Promise.withResolvers<void>();
    const before = state.taking;
    state.taking = turn.promise;
    await before;
    state.options.onTurn?.();
    if (!(await takeOne(state, turn.resolve))) await state.idle();
  }
}

/**
 * Takes a shard and works on it. A shard that has lost its worker before may have caused that, so it gets this
 * process to itself: other shards would be lost with it.
 *
 * @param next lets others take one
 * @returns whether there was one
 */
async function takeOne(state: WorkerState, next: () => void): Promise<boolean> {
  const { options, stopping, working } = state;
  try {
    const claim = stopping.aborted ? undefined : await claimOne(options);
    if (claim === undefined) return false;
    if (stopping.aborted) return await giveBack(claim, options);
    const isSuspect = claim.failures > 0 && claim.kind !== 'notify';
    const stop = new AbortController();
    const work = workOnShard(claim, options, stop, isSuspect ? [...working.keys()] : []);
    working.set(work, stop);
    if (!isSuspect) next();
    await work;
    working.delete(work);
    return true;
  } finally {
    next();
  }
}

async function claimOne({ store, name, log }: WorkerOptions): Promise<Claim | undefined> {
  try {
    return await store.claim(name);
  } catch (error) {
    log.warn({ reason: reasonOf(error) }, 'jobs: no shard could be taken');
    return undefined;
  }
}

/** Gives back what was taken while the worker was stopped. */
async function giveBack(claim: Claim, { store, log }: WorkerOptions): Promise<boolean> {
  await store.giveBack(claim).catch((error: unknown) => {
    log.warn({ reason: reasonOf(error) }, 'jobs: a shard could not be given back');
  });
  return true;
}

/** Maximum milliseconds between renewals of a lease, through which a worker learns that a job was cancelled. */
const LONGEST_RENEWAL = 5000;
/** How long results are kept while the database does not answer. */
const COMMIT_RETRIES = { firstDelay: 100, longestDelay: 2000, patience: 60_000 };

/** Why work on a shard stops. */
class ShardReturned extends Error {}
class ShardLost extends Error {
  override message = 'it is another worker\u2019s now, or its job is over';
}

/**
 * Works on a shard, settles it and reports it.
 *
 * @param stop stops the work
 * @param before is awaited first
 */
async function workOnShard(
  claim: Claim,
  options: WorkerOptions,
  stop: AbortController,
  before: readonly Promise<void>[],
): Promise<void> {
  const { store, work, log, leaseSeconds, onShard, discard } = options;
  const begin = performance.now();
  const endRenewal = keepLease(claim, stop, store, leaseSeconds);
  const { jobId: job, seq, attempt } = claim;
  let outcome: ShardOutcome | undefined;
  let skipped = 0;
  let refused: ShardResult | undefined;
  try {
    await unlessAborted(Promise.all(before), stop.signal);
    const result = await work[claim.kind](claim, stop.signal);
    outcome = (await untilStored(() => store.commit(claim, result))) ? 'done' : 'lost';
    if (outcome === 'lost') refused = result;
    else skipped = notRead(result.skipped ?? {});
  } catch (error) {
    outcome = await settle(claim, error, stop.signal, store).catch(() => undefined);
    if (outcome !== 'returned') {
      log.warn(
        { job, shard: seq, attempt, outcome, reason: reasonOf(error) },
        'jobs: a shard was not completed',
      );
    }
  } finally {
    endRenewal();
  }
  if (outcome === 'lost') await discard?.(claim, refused).catch(() => {});
  if (outcome === 'done' || outcome === 'failed') await options.onSettled?.(claim).catch(() => {});
  onShard?.(outcome ?? 'lost', (performance.now() - begin) / 1000, skipped);
}

/** Settles a shard whose work has ended without a result. */
async function settle(
  claim: Claim,
  error: unknown,
  signal: AbortSignal,
  store: WorkerStore,
): Promise<ShardOutcome> {
  if (signal.reason instanceof ShardReturned) {
    await untilStored(() => store.giveBack(claim));
    return 'returned';
  }
  if (signal.aborted) return 'lost';
  const isMine = await untilStored(() => store.fail(claim, toPlainError(error), isForGood(error)));
  return isMine ? 'failed' : 'lost';
}

/** Whether a retry would fail in the same way: the job is invalid, or something is missing on this machine. */
function isForGood(error: unknown): boolean {
  return error instanceof ServiceError && (error.status < 500 || error.code === 'missing_capability');
}

/** Keeps trying while the database does not answer. */
function untilStored<T>(change: () => Promise<T>): Promise<T> {
  const isPassing = (error: unknown) => error instanceof ServiceError && error.code === 'store_unavailable';
  return withRetries(COMMIT_RETRIES, { isPassing }, change);
}

/** Renews the lease of a shard until that is ended, and stops the work if the shard is lost. */
function keepLease(
  claim: Claim,
  stop: AbortController,
  store: WorkerStore,
  leaseSeconds: number,
): () => void {
  let renewed = performance.now();
  const renew = async () => {
    const asked = performance.now();
    try {
      if (await store.renew(claim)) renewed = asked;
      else stop.abort(new ShardLost());
    } catch {
      // The database may be away for a while: only a lease that has certainly expired ends the work.
      if (performance.now() - renewed > leaseSeconds * 1000) stop.abort(new ShardLost());
    }
  };
  const timer = setInterval(() => void renew(), Math.min((leaseSeconds * 1000) / 3, LONGEST_RENEWAL));
  return () => clearInterval(timer);
}
