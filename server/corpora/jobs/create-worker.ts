import { hostname } from 'node:os';
import type { Log } from '../../../core/contracts/collaborators.ts';
import { logTotals } from '../../engine/answer/response-metadata.ts';
import type { Runner } from '../../engine/run/runner.ts';
import {
  type Claim,
  type JobStore,
  NO_COUNTS,
  type ShardProgress,
  type ShardResult,
} from '../../store/jobs/contract.ts';
import { type Chunking, gainOf, type Tally } from '../chunk-documents.ts';
import type { Readers } from '../read-documents.ts';
import { errorAnswer } from './answers.ts';
import { chunkShard, type ShardTools } from './chunk-shard.ts';
import { finishJob } from './job-output.ts';
import { planJob } from './plan-job.ts';
import { discardShard, expireJobs } from './remove-job.ts';
import type { ShardThreads } from './shard-threads.ts';
import { pruneSink, removingIn, storingIn } from './sink.ts';
import type { JobLocations } from './spec.ts';
import { JobWorker, type ShardOutcome } from './worker.ts';

export interface JobWorkerParts extends Readers {
  readonly store: JobStore;
  readonly locations: JobLocations;
  readonly chunking: Chunking;
  /** Chunks shards in threads that read and write by themselves; missing if `chunking` chunks all of them. */
  readonly threads?: Pick<ShardThreads, 'chunk'> | undefined;
  /** Shards at a time. */
  readonly concurrency: number;
  readonly log: Log;
  readonly settings: {
    readonly leaseSeconds: number;
    readonly documentBytes: number;
    readonly shardBytes: number;
    readonly shardDocuments: number;
  };
  notify(claim: Claim, signal: AbortSignal): Promise<ShardResult>;
  onShard?(outcome: ShardOutcome, seconds: number, skipped: number): void;
  /** Stores chunks in sinks; missing if no job has a sink. */
  readonly runner?: Pick<Runner, 'run'>;
  /** Called with what has been chunked since the last call. */
  onChunked?(gain: Readonly<Tally>): void;
  readonly filter?: ShardTools['filter'];
  readonly inTerms?: ShardTools['inTerms'];
}

/** Shards at a time, for threads: while one begins or ends, the threads work on the others. */
export function shardsAtOnce(threads: number): number {
  return Math.max(1, threads) + 1;
}

/** Milliseconds between checks for expired jobs. */
const EXPIRY_PAUSE = 60_000;

export function createJobWorker(parts: JobWorkerParts): JobWorker {
  const { store, locations, settings, log, notify, onShard, runner } = parts;
  const remove = runner && removingIn(runner);
  const chunkTools = { ...parts, storing: runner && storingIn(runner), limit: settings.documentBytes };
  const chunk = (claim: Claim, signal: AbortSignal, onProgress: (progress: ShardProgress) => void) => {
    const onTally = counting(onProgress, parts.onChunked);
    const here = (chunking = parts.chunking) =>
      chunkShard(claim, signal, { ...chunkTools, chunking, onProgress: onTally });
    return parts.threads === undefined ? here() : parts.threads.chunk(claim, signal, onTally, here);
  };
  let expiredAt = 0;
  return new JobWorker({
    store,
    work: {
      plan: (claim, signal) => planJob(claim, signal, { store, locations, ...settings }),
      chunk,
      finish(claim, signal) {
        const prune = async () => remove && pruneSink(claim, signal, { store, remove });
        return finishJob(claim, signal, { store, locations, prune });
      },
      notify,
    },
    log,
    name: `${hostname()}/${process.pid}`,
    concurrency: parts.concurrency,
    leaseSeconds: settings.leaseSeconds,
    onSettled: (claim) => logEnd(claim, store, log),
    discard: (claim, refused) => discardShard(claim, refused, { store, locations }),
    ...(onShard !== undefined && { onShard }),
    onTurn() {
      if (performance.now() - expiredAt < EXPIRY_PAUSE) return;
      expiredAt = performance.now();
      void expireJobs(store, locations, log);
    },
  });
}

function counting(onProgress: (progress: ShardProgress) => void, onChunked: JobWorkerParts['onChunked']) {
  let before: Readonly<Tally> = NO_COUNTS;
  return (now: Readonly<Tally>): void => {
    onProgress(now);
    onChunked?.(gainOf(now, before));
    before = { ...now };
  };
}

export async function logEnd(
  { jobId, kind }: Pick<Claim, 'jobId' | 'kind'>,
  store: Pick<JobStore, 'get'>,
  log: Log,
): Promise<void> {
  if (kind === 'notify') return;
  const { finished_at, created_at, state, counts, error } = await store.get(jobId);
  if (finished_at === null) return;
  const seconds = Math.round((finished_at - created_at) * 10) / 10;
  const { documents, failed, skipped, chunks, bytes } = counts;
  const done = {
    job: jobId,
    state,
    documents: { done: documents - failed, failed },
    skipped,
    chunks,
    bytes,
    seconds,
  };
  log.info(
    { ...done, ...(error !== null && { reason: errorAnswer(error).detail }) },
    'jobs: a job has ended',
  );
  logTotals(log, counts, { job: jobId });
}
