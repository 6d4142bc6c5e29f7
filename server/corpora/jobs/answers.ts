import { ServiceError } from '../../../core/errors.ts';
import type { Failure, JobRecord, ShardRecord } from '../../store/jobs/contract.ts';
import type { ShardRange } from '../shard.ts';
import { notRead, type SkippedReasons } from '../skips.ts';
import type { ShardOutput } from './chunk-shard.ts';
import type { JobSpec } from './spec.ts';

type Same = 'id' | 'state' | 'chunks' | 'embedding_empty' | 'pruned' | 'unpruned' | 'bytes';

/** A job as reported to callers. Times are UTC. */
export interface JobAnswer extends Pick<JobRecord, Same> {
  readonly error: { readonly status: number; readonly detail: string } | null;
  readonly source: object;
  readonly target: object;
  readonly group: JobSpec['group'];
  readonly shards: { readonly total: number; readonly done: number; readonly failed: number };
  readonly documents: { readonly done: number; readonly failed: number; readonly skipped: number };
  /** Why files were skipped, and which finished documents have no text: `empty`. */
  readonly skipped_reasons: SkippedReasons;
  /** Bytes of the source per second since the job was created. */
  readonly bytes_per_second: number;
  /** Null until it can be estimated, and when the job has ended. */
  readonly seconds_left: number | null;
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly expires_at: string;
}

/** @param now seconds since 1970 */
export function jobAnswer(job: JobRecord, now: number = Date.now() / 1000): JobAnswer {
  const { source, target, group } = job.spec as JobSpec;
  const { read, total } = job.bytes;
  const seconds = Math.max((job.finished_at ?? now) - job.created_at, 0.001);
  const isRunning = job.state === 'running' && read > 0;
  return {
    id: job.id,
    state: job.state,
    error: job.error === null ? null : errorAnswer(job.error),
    source,
    target,
    group,
    shards: {
      total: job.shards.total,
      done: job.shards.done,
      failed: job.shards.failed,
    },
    documents: { ...job.documents, skipped: notRead(job.skipped) },
    skipped_reasons: Object.fromEntries(Object.entries(job.skipped).filter(([, count]) => count > 0)),
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

type SameOfShard = 'seq' | 'state' | 'attempt' | 'failures' | 'worker';

/** A shard of a job as reported to callers. */
export interface ShardAnswer extends Pick<ShardRecord, SameOfShard> {
  readonly source: {
    readonly format: ShardRange['format'];
    /** The first of `count` files. */
    readonly file: string;
    readonly files: number;
    readonly part: NonNullable<ShardRange['part']> | null;
    readonly bytes: number;
  };
  /** Null until it is done. */
  readonly documents: { readonly done: number; readonly failed: number; readonly skipped: number } | null;
  readonly chunks: number | null;
  readonly error: { readonly status: number; readonly detail: string } | null;
}

export function shardAnswer({ range, output, error, ...shard }: ShardRecord): ShardAnswer {
  const { format, files, part, bytes } = range as ShardRange;
  const { seq, state, attempt, failures, worker } = shard;
  const written = output as ShardOutput | null;
  return {
    ...{ seq, state, attempt, failures, worker },
    source: { format, file: files[0]?.name ?? '', files: files.length, part: part ?? null, bytes },
    documents: written === null ? null : documentsOf(written),
    chunks: written?.chunks ?? null,
    error: error === null ? null : errorAnswer(error),
  };
}

function documentsOf({ documents, failed, skipped }: ShardOutput): NonNullable<ShardAnswer['documents']> {
  return { done: documents - failed, failed, skipped };
}
