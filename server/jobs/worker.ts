import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../core/contracts/collaborators.ts';
import { reasonOf, ServiceError, toPlainError } from '../../core/errors.ts';
import { withRetries } from '../retry.ts';
import type { Claim, Failure, JobStore, ShardKind, ShardResult } from '../store/jobs/contract.ts';

/** Does shards of jobs, as long as there are any. */
export interface JobWorker {
  /** Looks for work now; to be called when a job was made or opened again. */
  wake(): void;
  /**
   * Takes no more shards. Those that are not done after the grace are given back, for others to do at once.
   *
   * @param graceSeconds 0 gives them back now
   */
  stop(graceSeconds: number): Promise<void>;
}

export type WorkerStore = Pick<JobStore, 'claim' | 'renew' | 'commit' | 'fail' | 'giveBack'>;

export interface WorkerOptions {
  readonly store: WorkerStore;
  /** Does the work of a shard. @param signal aborts once the shard is lost, or is to be given back */
  readonly work: Readonly<Record<ShardKind, (claim: Claim, signal: AbortSignal) => Promise<ShardResult>>>;
  readonly log: Log;
  /** Names the worker in lists. */
  readonly name: string;
  /** Shards that are worked on at once. */
  readonly concurrency: number;
  readonly leaseSeconds: number;
  /** Told of each shard that was worked on. */
  onShard?(outcome: ShardOutcome, seconds: number): void;
  /** Told when there is nothing to do, each time that it was looked for. */
  onIdle?(): void;
}

/** How the work on a shard ended; `lost` of one that others have taken. */
export type ShardOutcome = 'done' | 'failed' | 'lost' | 'returned';

/** Milliseconds between looking for work in vain. */
const POLL = 1000;
/** Most milliseconds between renewals of a lease, by which a worker learns that a job was cancelled. */
const LONGEST_RENEWAL = 5000;
/** How long what was worked out is kept for a database that does not answer. */
const COMMIT_RETRIES = { firstDelay: 100, longestDelay: 2000, patience: 60_000 };

/** Starts a worker, which looks for shards at once. */
export function startWorker(options: WorkerOptions): JobWorker {
  const stopping = new AbortController();
  const running = new Set<AbortController>();
  let woken = Promise.withResolvers<void>();
  const state: WorkerState = {
    options,
    running,
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
        for (const one of running) one.abort(new Returned());
      };
      const timer = setTimeout(giveBack, graceSeconds * 1000);
      await Promise.all(loops);
      clearTimeout(timer);
    },
  };
}

interface WorkerState {
  readonly options: WorkerOptions;
  /** Stop the shards that are worked on. */
  readonly running: Set<AbortController>;
  readonly stopping: AbortSignal;
  /** Waits until it is time to look again. */
  idle(): Promise<void>;
}

/** Why a shard is not worked on any more. */
class Returned extends Error {}
class Lost extends Error {}

async function pause(signal: AbortSignal): Promise<void> {
  const jitter = POLL * (0.75 + Math.random() / 2);
  await sleep(jitter, undefined, { signal, ref: false }).catch(() => {});
}

async function loop(state: WorkerState): Promise<void> {
  const { options, stopping } = state;
  while (!stopping.aborted) {
    const claim = await options.store.claim(options.name).catch((error: unknown) => {
      options.log.warn({ reason: reasonOf(error) }, 'jobs: no shard could be taken');
      return undefined;
    });
    if (claim !== undefined) await workOn(claim, state);
    else {
      options.onIdle?.();
      await state.idle();
    }
  }
}

async function workOn(claim: Claim, { options, running }: WorkerState): Promise<void> {
  const { store, work, log, leaseSeconds, onShard } = options;
  const stop = new AbortController();
  const begin = performance.now();
  const endRenewal = keepLease(claim, stop, store, leaseSeconds);
  running.add(stop);
  const { jobId: job, seq, attempt } = claim;
  let outcome: ShardOutcome = 'done';
  try {
    const result = await work[claim.kind](claim, stop.signal);
    if (!(await surely(() => store.commit(claim, result)))) outcome = 'lost';
  } catch (error) {
    outcome = await settle(claim, error, stop.signal, store).catch(() => 'lost');
    if (outcome !== 'returned') {
      log.warn({ job, shard: seq, attempt, outcome, reason: reasonOf(error) }, 'jobs: a shard was not done');
    }
  } finally {
    endRenewal();
    running.delete(stop);
  }
  onShard?.(outcome, (performance.now() - begin) / 1000);
}

/** Settles a shard whose work has ended without a result. */
async function settle(
  claim: Claim,
  error: unknown,
  signal: AbortSignal,
  store: WorkerStore,
): Promise<ShardOutcome> {
  if (signal.reason instanceof Returned) {
    await surely(() => store.giveBack(claim));
    return 'returned';
  }
  if (signal.aborted) return 'lost';
  await surely(() => store.fail(claim, failureOf(error), isForGood(error)));
  return 'failed';
}

function failureOf(error: unknown): Failure {
  const { code, values } = toPlainError(error);
  return { code, values };
}

/** Whether another try would fail in the same way: something is wrong with the job, or missing on this machine. */
function isForGood(error: unknown): boolean {
  return error instanceof ServiceError && (error.status < 500 || error.code === 'missing_capability');
}

/** Keeps trying while the database does not answer. */
function surely<T>(change: () => Promise<T>): Promise<T> {
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
      else stop.abort(new Lost());
    } catch {
      // The database may be away for a while: only a lease that is surely over ends the work.
      if (performance.now() - renewed > leaseSeconds * 1000) stop.abort(new Lost());
    }
  };
  const timer = setInterval(() => void renew(), Math.min((leaseSeconds * 1000) / 3, LONGEST_RENEWAL));
  return () => clearInterval(timer);
}
