import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../core/contracts/collaborators.ts';
import { reasonOf, ServiceError, toPlainError } from '../../../core/errors.ts';
import { withRetries } from '../../config/retry.ts';
import { unlessAborted } from '../../engine/abort.ts';
import type { Claim, JobStore, ShardKind, ShardProgress, ShardResult } from '../../store/jobs/contract.ts';
import { notRead } from '../skips.ts';

type WorkerStore = Pick<JobStore, 'claim' | 'renew' | 'commit' | 'fail' | 'giveBack'>;

/** @param onProgress called with the totals so far, at any times that suit the work */
type Work = (
  claim: Claim,
  signal: AbortSignal,
  onProgress: (progress: ShardProgress) => void,
) => Promise<ShardResult>;

export interface WorkerOptions {
  readonly store: WorkerStore;
  /** The work for each kind of shard. @param signal aborts once the shard is lost or must be given back */
  readonly work: Readonly<Record<ShardKind, Work>>;
  readonly log: Log;
  readonly leaseSeconds: number;
  /** Removes the results of a lost shard. @param refused the result that the store has refused, if any */
  discard?(claim: Claim, refused: ShardResult | undefined): Promise<void>;
  onSettled?(claim: Claim): Promise<void>;
  /** Called for each processed shard. @param skipped number of files that were not read */
  onShard?(outcome: ShardOutcome, seconds: number, skipped: number): void;
  readonly name: string;
  readonly concurrency: number;
  onTurn?(): void;
}

/** The outcome of the work on a shard; `lost` if another worker has taken the shard over. */
export type ShardOutcome = 'done' | 'failed' | 'lost' | 'returned';

const POLL = 1000;

/** Takes shards of jobs and works on them. The first poll is immediate. */
export class JobWorker {
  readonly #options: WorkerOptions;
  readonly #stopping = new AbortController();
  readonly #working = new Map<Promise<void>, AbortController>();
  /** Resolves when the next loop may take a shard. */
  #taking = Promise.resolve();
  #woken = Promise.withResolvers<void>();
  readonly #loops: readonly Promise<void>[];

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#loops = Array.from({ length: options.concurrency }, () => this.#loop());
  }

  /** Polls at once. Called after a job was created or reopened. */
  wake(): void {
    this.#woken.resolve();
    this.#woken = Promise.withResolvers();
  }

  /**
   * Stops taking shards. After the grace period, gives unfinished shards back, so that other workers can take
   * them.
   *
   * @param graceSeconds 0 gives the shards back at once
   */
  async stop(graceSeconds: number): Promise<void> {
    this.#stopping.abort();
    this.wake();
    const giveBack = () => {
      for (const one of this.#working.values()) one.abort(new ShardReturned());
    };
    const timer = setTimeout(giveBack, graceSeconds * 1000);
    await Promise.all(this.#loops);
    clearTimeout(timer);
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const turn = Promise.withResolvers<void>();
      const before = this.#taking;
      this.#taking = turn.promise;
      await before;
      this.#options.onTurn?.();
      if (!(await this.#takeOne(turn.resolve))) await Promise.race([this.#woken.promise, pause(signal)]);
    }
  }

  /**
   * Takes a shard and works on it. If an earlier worker was lost with this shard, the shard may have crashed
   * that worker. Such a shard runs alone, so that no other shard is lost with it.
   *
   * @param next lets other loops take a shard
   * @returns whether there was a shard
   */
  async #takeOne(next: () => void): Promise<boolean> {
    const { signal } = this.#stopping;
    try {
      const claim = signal.aborted ? undefined : await claimOne(this.#options);
      if (claim === undefined) return false;
      if (signal.aborted) return await giveBack(claim, this.#options);
      const isSuspect = claim.failures > 0 && claim.kind !== 'notify';
      const stop = new AbortController();
      const before = isSuspect ? [...this.#working.keys()] : [];
      const work = workOnShard(claim, this.#options, stop, before);
      this.#working.set(work, stop);
      if (!isSuspect) next();
      await work;
      this.#working.delete(work);
      return true;
    } finally {
      next();
    }
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  const jitter = POLL * (0.75 + Math.random() / 2);
  await sleep(jitter, undefined, { signal, ref: false }).catch(() => {});
}

async function claimOne({ store, name, log }: WorkerOptions): Promise<Claim | undefined> {
  try {
    return await store.claim(name);
  } catch (error) {
    log.warn({ reason: reasonOf(error) }, 'jobs: no shard could be taken');
    return undefined;
  }
}

async function giveBack(claim: Claim, { store, log }: WorkerOptions): Promise<boolean> {
  await store.giveBack(claim).catch((error: unknown) => {
    log.warn({ reason: reasonOf(error) }, 'jobs: a shard could not be given back');
  });
  return true;
}

/**
 * Maximum milliseconds between renewals of a lease. Each renewal stores progress, and detects whether the job
 * was cancelled.
 */
const MAX_RENEWAL = 2000;
const COMMIT_RETRIES = { firstDelay: 100, maxDelay: 2000, deadline: 60_000 };

class ShardReturned extends Error {}
class ShardLost extends Error {
  override message = 'it is another worker\u2019s now, or its job is over';
}

async function workOnShard(
  claim: Claim,
  options: WorkerOptions,
  stop: AbortController,
  before: readonly Promise<void>[],
): Promise<void> {
  const { store, work, log, onShard, discard } = options;
  const begin = performance.now();
  let progress: ShardProgress | undefined;
  const endRenewal = keepLease(claim, stop, options, () => progress);
  const { jobId: job, seq, attempt } = claim;
  let outcome: ShardOutcome | undefined;
  let skipped = 0;
  let refused: ShardResult | undefined;
  try {
    await unlessAborted(Promise.all(before), stop.signal);
    const result = await work[claim.kind](claim, stop.signal, (soFar) => {
      progress = soFar;
    });
    outcome = (await untilStored(() => store.commit(claim, result))) ? 'done' : 'lost';
    if (outcome === 'lost') refused = result;
    else skipped = notRead(result.counts.skipped);
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

/** Whether a retry would fail too, because the job is invalid or this machine lacks something. */
function isForGood(error: unknown): boolean {
  return error instanceof ServiceError && (error.status < 500 || error.code === 'missing_capability');
}

function untilStored<T>(change: () => Promise<T>): Promise<T> {
  const isTransient = (error: unknown) => error instanceof ServiceError && error.code === 'store_unavailable';
  return withRetries(COMMIT_RETRIES, { isTransient }, change);
}

function keepLease(
  claim: Claim,
  stop: AbortController,
  { store, leaseSeconds }: Pick<WorkerOptions, 'store' | 'leaseSeconds'>,
  progress: () => ShardProgress | undefined,
): () => void {
  let renewed = performance.now();
  const renew = async () => {
    const asked = performance.now();
    try {
      if (await store.renew(claim, progress())) renewed = asked;
      else stop.abort(new ShardLost());
    } catch {
      // The database may be unreachable briefly, so the work ends only once the lease has certainly expired.
      if (performance.now() - renewed > leaseSeconds * 1000) stop.abort(new ShardLost());
    }
  };
  const timer = setInterval(() => void renew(), Math.min((leaseSeconds * 1000) / 3, MAX_RENEWAL));
  return () => clearInterval(timer);
}
