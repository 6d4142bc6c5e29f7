import type { ShardRecord } from '../../store/jobs/contract.ts';
import type { ShardRange } from '../shard.ts';
import type { ShardOutput } from './chunk-shard.ts';
import { errorAnswer } from './job-answer.ts';

type Same = 'seq' | 'state' | 'attempt' | 'failures' | 'worker';

/** A shard of a job as reported to callers. */
export interface ShardAnswer extends Pick<ShardRecord, Same> {
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
