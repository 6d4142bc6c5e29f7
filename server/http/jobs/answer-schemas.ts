import { FORMATS } from '../../corpus/shard.ts';
import { JOB_STATES, SHARD_STATES } from '../../store/jobs/contract.ts';
import { errorOfPart } from '../documentation/stream-schemas.ts';

/** Schemas of answers about jobs. */

const count = { type: 'integer' } as const;
const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });
const time = { type: 'string', format: 'date-time' } as const;
const object = (properties: Readonly<Record<string, object>>) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});
const described = (description: string, schema: object) => ({ ...schema, description });

const skippedReasons = {
  title: 'SkippedReasons',
  type: 'object',
  description:
    'Why files were skipped, with their number: no reader for them can run here, or they are binary. The empty ones are documents that are done and have no text. What did not occur is missing. The errors of the job name each.',
  properties: { no_reader: count, binary: count, empty: count },
} as const;

export const job = {
  title: 'Job',
  ...object({
    id: { type: 'string', format: 'uuid' },
    state: {
      enum: JOB_STATES,
      description: 'It is over when it is done, failed or cancelled.',
    },
    error: described('Why it failed, or null.', orNull(errorOfPart)),
    source: { type: 'object', description: 'As the request has it, without documents.' },
    target: { type: 'object', description: 'Where it writes.' },
    group: { enum: ['chunk', 'document'] },
    shards: object({ total: count, done: count, failed: count }),
    documents: described(
      'Of the shards that are done; skipped are files that were not read.',
      object({ done: count, failed: count, skipped: count }),
    ),
    skipped_reasons: skippedReasons,
    chunks: count,
    embedding_empty: described('Texts of which the model knows no word: their vectors say nothing.', count),
    pruned: described('Documents that were deleted from the sink, by prune.', count),
    unpruned: described(
      'Documents that may be gone and were not deleted: failed ones, whose ids cannot be read, may be them.',
      count,
    ),
    bytes: object({ read: count, total: count }),
    bytes_per_second: count,
    seconds_left: described('Null until it can be told, and once the job is over.', orNull(count)),
    created_at: time,
    finished_at: orNull(time),
    expires_at: described('When the job and its output are removed.', time),
  }),
};

export const shard = {
  title: 'Shard',
  ...object({
    seq: described('Its place in the source; part files have the same number.', count),
    state: { enum: SHARD_STATES },
    attempt: described('How often it was begun.', count),
    failures: described('How often it failed, or lost its worker.', count),
    worker: orNull({ type: 'string' }),
    source: object({
      format: { enum: FORMATS },
      file: described('The first of its files.', { type: 'string' }),
      files: count,
      part: described(
        'The bytes in which its lines begin, or its row groups; null for whole files.',
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
};

const file = {
  title: 'WrittenFile',
  ...object({
    name: { type: 'string' },
    bytes: count,
    sha256: { type: 'string' },
  }),
};

const counts = { documents: count, failed: count, skipped: count, chunks: count };

export const manifest = {
  title: 'JobManifest',
  ...object({
    shards: {
      type: 'array',
      items: object({
        seq: count,
        ...counts,
        files: {
          type: 'object',
          properties: { part: file, errors: file, ids: file },
          description: 'The chunks, the documents that failed, and the ids of the chunks of each document.',
        },
      }),
    },
    counts: {
      ...object({ ...counts, skipped_reasons: skippedReasons }),
      properties: { ...counts, skipped_reasons: skippedReasons, pruned: count, unpruned: count },
    },
  }),
};
