import type { Log } from '../../../core/contracts/collaborators.ts';
import { reasonOf, ServiceError, toPlainError } from '../../../core/errors.ts';
import { withRetries } from '../../config/retry.ts';
import { unlessAborted } from '../../engine/abort.ts';
import type { Claim, Failure, JobStore, ShardKind, ShardResult } from '../../store/jobs/contract.ts';
import { notRead } from '../skips.ts';

export type WorkerStore = Pick<JobStore, 'claim' | 'renew' | 'commit' | 'fail' | 'giveBack'>;

export interface ShardWorkOptions {
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
}

/** How the work on a shard ended; `lost` if another worker has taken it over. */
export type ShardOutcome = 'done' | 'failed' | 'lost' | 'returned';

/** Maximum milliseconds between renewals of a lease, through which a worker learns that a job was cancelled. */
const LONGEST_RENEWAL = 5000;
/** How long results are kept while the database does not answer. */
const COMMIT_RETRIES = { firstDelay: 100, longestDelay: 2000, patience: 60_000 };

/** Why work on a shard stops. */
export class ShardReturned extends Error {}
class ShardLost extends Error {
  override message = 'it is another worker\u2019s now, or its job is over';
}

/**
 * Works on a shard, settles it and reports it.
 *
 * @param running holds what stops the work while it runs
 * @param before is awaited first
 */
export async function workOnShard(
  claim: Claim,
  options: ShardWorkOptions,
  running: Set<AbortController>,
  before: readonly Promise<void>[],
): Promise<void> {
  const { store, work, log, leaseSeconds, onShard, discard } = options;
  const stop = new AbortController();
  const begin = performance.now();
  const endRenewal = keepLease(claim, stop, store, leaseSeconds);
  running.add(stop);
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
    running.delete(stop);
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
  const isMine = await untilStored(() => store.fail(claim, failureOf(error), isForGood(error)));
  return isMine ? 'failed' : 'lost';
}

function failureOf(error: unknown): Failure {
  const { code, values } = toPlainError(error);
  return { code, values };
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
