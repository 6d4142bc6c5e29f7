import { ServiceError } from '../../../core/errors.ts';
import { vectorTotals } from '../../engine/answer/response-metadata.ts';
import {
  count,
  type Described,
  described,
  errorOfPart,
  object,
  orNull,
  text,
} from '../../engine/answer/schemas.ts';
import {
  type Failure,
  JOB_STATES,
  type JobRecord,
  SHARD_STATES,
  type ShardRecord,
} from '../../store/jobs/contract.ts';
import { FORMATS, type ShardRange } from '../shard.ts';
import { notRead } from '../skips.ts';
import type { ShardOutput } from './job-output.ts';
import type { JobSpec } from './spec.ts';

const time = { type: 'string', format: 'date-time' } as const;

export const skippedReasons = {
  title: 'SkippedReasons',
  type: 'object',
  description:
    'Number of skipped files by reason: no reader for them can run here, they are binary, their names begin with a dot (ignored), or they are unreadable, such as links that lead outside; empty ones are documents that are done and have no text. Reasons that did not occur are missing. The errors of the job list each file.',
  properties: { no_reader: count, binary: count, ignored: count, unreadable: count, empty: count },
} as const;

export const leftOut = {
  title: 'LeftOut',
  type: 'object',
  description:
    'Content of files that readers left out of their texts, such as notes of subtitles, counted by name.',
  additionalProperties: count,
} as const;

export const job = {
  title: 'Job',
  ...object({
    id: { type: 'string', format: 'uuid' },
    state: {
      enum: JOB_STATES,
      description: 'It is finished when done, failed or cancelled.',
    },
    error: described('Why it failed, or null.', orNull(errorOfPart)),
    source: { type: 'object', description: 'As in the request, without documents.' },
    target: { type: 'object', description: 'Where its output goes.' },
    group: { enum: ['chunk', 'document'] },
    shards: object({ total: count, done: count, failed: count }),
    documents: described(
      'For finished shards; skipped counts files that were not read.',
      object({ done: count, failed: count, skipped: count }),
    ),
    skipped_reasons: skippedReasons,
    left_out: leftOut,
    chunks: count,
    embedding_empty: described(
      'Number of texts with no word that the model knows: their vectors mean nothing.',
      count,
    ),
    embedding_fallback: described(
      'Number of texts in languages unknown to the model: their vectors are lexical.',
      count,
    ),
    embedding_cut: described('Number of texts that are longer than the window of the model.', count),
    pruned: described('Documents that prune deleted from the sink.', count),
    unpruned: described(
      'Documents that may no longer exist but were not deleted, because they could be among the failed ones whose ids cannot be read.',
      count,
    ),
    bytes: object({ read: count, total: count }),
    bytes_per_second: count,
    seconds_left: described('Null until it can be estimated, and when the job has finished.', orNull(count)),
    created_at: time,
    finished_at: orNull(time),
    expires_at: described('When the job and its output are removed.', time),
  }),
} as const;

export const shard = {
  title: 'Shard',
  ...object({
    seq: described('Its position in the source; part files have the same number.', count),
    state: { enum: SHARD_STATES },
    attempt: described('How often it was started.', count),
    failures: described('How often it failed, or lost its worker.', count),
    worker: orNull(text),
    source: object({
      format: { enum: FORMATS },
      file: described('The first of its files.', text),
      files: count,
      part: described(
        'The byte range in which its lines or row groups begin; null for whole files.',
        orNull(object({ from: count, to: count })),
      ),
      bytes: count,
    }),
    documents: described(
      'Null until it is done; files that cannot be read as text are skipped.',
      orNull(object({ done: count, failed: count, skipped: count })),
    ),
    chunks: described('Null until it is done.', orNull(count)),
    error: described('Why it failed, or null.', orNull(errorOfPart)),
  }),
} as const;

export type JobAnswer = Described<typeof job>;

export function jobAnswer(job: JobRecord, now: number = Date.now() / 1000): JobAnswer {
  const { source, target, group } = job.spec as JobSpec;
  const { counts, bytes_total: total } = job;
  const { documents, failed, bytes: read } = counts;
  const seconds = Math.max((job.finished_at ?? now) - job.created_at, 0.001);
  const isRunning = job.state === 'running' && read > 0;
  const reasons = Object.entries(counts.skipped).filter(([, count]) => count > 0);
  return {
    id: job.id,
    state: job.state,
    error: job.error && errorAnswer(job.error),
    source,
    target,
    group,
    shards: { total: job.shards.total, done: job.shards.done, failed: job.shards.failed },
    documents: { done: documents - failed, failed, skipped: notRead(counts.skipped) },
    skipped_reasons: Object.fromEntries(reasons),
    left_out: counts.left_out,
    chunks: counts.chunks,
    ...vectorTotals(counts),
    pruned: job.pruned,
    unpruned: job.unpruned,
    bytes: { read, total },
    bytes_per_second: Math.round(read / seconds),
    seconds_left: isRunning ? Math.ceil(((total - read) * seconds) / read) : null,
    created_at: timeOf(job.created_at),
    finished_at: job.finished_at === null ? null : timeOf(job.finished_at),
    expires_at: timeOf(job.expires_at),
  };
}

export function errorAnswer({ code, values }: Failure): { status: number; detail: string } {
  const { status, detail } = new ServiceError(code, values);
  return { status, detail };
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

export type ShardAnswer = Described<typeof shard>;

export function shardAnswer({ kind: _, range, output, error, ...shard }: ShardRecord): ShardAnswer {
  const { format, files, part = null, bytes } = range as ShardRange;
  const written = output as ShardOutput | null;
  return {
    ...shard,
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
