import { ServiceError } from '../../../core/errors.ts';
import type { Failure, JobRecord, ShardRecord } from '../../store/jobs/contract.ts';
import type { ShardRange } from '../shard.ts';
import { notRead, type SkippedReasons } from '../skips.ts';
import type { ShardOutput } from './chunk-shard.ts';
import type { JobSpec } from './spec.ts';

/** A job as reported to callers; the schemas of the routes describe it. */
export type JobAnswer = ReturnType<typeof jobAnswer>;

/** @param now seconds since 1970 */
export function jobAnswer(job: JobRecord, now: number = Date.now() / 1000) {
  const { source, target, group } = job.spec as JobSpec;
  const { read, total } = job.bytes;
  const seconds = Math.max((job.finished_at ?? now) - job.created_at, 0.001);
  const isRunning = job.state === 'running' && read > 0;
  const reasons = Object.entries(job.skipped).filter(([, count]) => count > 0);
  return {
    id: job.id,
    state: job.state,
    error: job.error && errorAnswer(job.error),
    source,
    target,
    group,
    shards: { total: job.shards.total, done: job.shards.done, failed: job.shards.failed },
    documents: { ...job.documents, skipped: notRead(job.skipped) },
    skipped_reasons: Object.fromEntries(reasons) as SkippedReasons,
    chunks: job.chunks,
    embedding_empty: job.embedding_empty,
    pruned: job.pruned,
    unpruned: job.unpruned,
    bytes: job.bytes,
    bytes_per_second: Math.round(read / seconds),
    seconds_left: isRunning ? Math.ceil(((total - read) * seconds) / read) : null,
    created_at: timeOf(job.created_at),
    finished_at: job.finished_at === null ? null : timeOf(job.finished_at),
    expires_at: timeOf(job.expires_at),
  };
}

/** An error as reported to callers. */
export function errorAnswer({ code, values }: Failure): { status: number; detail: string } {
  const { status, detail } = new ServiceError(code, values);
  return { status, detail };
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

/** A shard of a job as reported to callers. */
export type ShardAnswer = ReturnType<typeof shardAnswer>;

export function shardAnswer({ seq, state, attempt, failures, worker, range, output, error }: ShardRecord) {
  const { format, files, part = null, bytes } = range as ShardRange;
  const written = output as ShardOutput | null;
  return {
    ...{ seq, state, attempt, failures, worker },
    source: { format, file: files[0]?.name ?? '', files: files.length, part, bytes },
    documents: written && {
      done: written.documents - written.failed,
      failed: written.failed,
      skipped: written.skipped,
    },
    chunks: written?.chunks ?? null,
    error: error && errorAnswer(error),
  };
}
