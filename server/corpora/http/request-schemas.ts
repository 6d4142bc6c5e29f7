import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import { presetMembers } from '../../engine/presets/presets.ts';
import { documentSchema, fieldMembers } from '../../engine/read/document-schemas.ts';
import { JOB_STATES, SHARD_STATES } from '../../store/jobs/contract.ts';
import { FORMATS, fieldMapping } from '../shard.ts';

const MAX_PATH_LENGTH = 4096;
const MAX_URL_LENGTH = 2048;

export const sourceBody = {
  title: 'JobSource',
  type: 'object',
  description: 'A `path`, or `documents` in the request.',
  properties: {
    path: {
      type: 'string',
      minLength: 1,
      maxLength: MAX_PATH_LENGTH,
      description:
        "A file or folder inside the server's root, `kb/articles` (`.` is all of it), or in a bucket of one of its connections, `s3://<connection>/kb/articles`.",
    },
    format: {
      enum: ['auto', ...FORMATS],
      default: 'auto',
      description:
        'Each file is a document, or each line of JSON Lines, or each row of CSV or Parquet. auto decides by file name, and never chooses CSV.',
    },
    fields: fieldMapping,
    documents: {
      type: 'array',
      minItems: 1,
      items: documentSchema,
      excludes: ['path', 'format', 'fields'],
      description: 'Documents in the format of the chunker routes.',
    },
  },
  additionalProperties: false,
} as const;

export const targetBody = {
  title: 'JobTarget',
  type: 'object',
  properties: {
    path: {
      type: 'string',
      minLength: 1,
      maxLength: MAX_PATH_LENGTH,
      description:
        'The folder of the output, not shared with another job: inside the root, or in a bucket. By default `chunksmith-jobs/<id>` inside the root.',
    },
    format: {
      enum: ['jsonl', 'parquet'],
      default: 'jsonl',
      description:
        'The format of the part files: lines of JSON, or Parquet with the columns `id`, `document_id`, `text`, `start_index`, `end_index`, `token_count`, `metadata`, `embedding` and `fields`, which holds everything else as JSON.',
    },
    sink: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string', description: 'Name of the sink.' } },
      additionalProperties: true,
      description: 'Stores the chunks in a sink instead of part files: its name, and its options.',
    },
  },
  additionalProperties: false,
} as const;

/** Any items, because each step is checked separately. The problems then contain the number of the step. */
const steps = {
  type: 'array',
  minItems: 1,
  description: 'Run in this order on each document.',
  excludes: ['pipeline'],
};

export function jobBody(namespace: string): ObjectSchema {
  return {
    type: 'object',
    required: ['source'],
    properties: {
      source: sourceBody,
      pipeline: {
        type: 'string',
        minLength: 1,
        maxLength: 255,
        description: 'Name or id of a stored pipeline, used as it is now; instead of `steps`.',
      },
      steps,
      ...presetMembers,
      ...fieldMembers('apart', namespace),
      group: {
        enum: ['chunk', 'document'],
        default: 'chunk',
        description: 'Whether a line of the output is a chunk, or has all chunks of a document.',
      },
      target: targetBody,
      prune: {
        type: 'boolean',
        description:
          'Whether to delete documents from the sink that an earlier job with the same `source` has stored there and this one no longer finds.',
      },
      max_errors: {
        anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }],
        default: null,
        description: 'Maximum failed documents before the job fails; null means any number.',
      },
      callback: {
        type: 'string',
        minLength: 1,
        maxLength: MAX_URL_LENGTH,
        description: 'URL that receives a POST when the job ends.',
      },
    },
    additionalProperties: false,
  };
}

const pageQuery = (what: string, states: readonly string[]): ObjectSchema => ({
  type: 'object',
  properties: {
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      default: 100,
      description: `Maximum ${what} in the answer.`,
    },
    cursor: { type: 'string', description: 'The x-next-cursor of the previous answer.' },
    state: { enum: states, description: `Only ${what} in this state.` },
  },
  additionalProperties: false,
});

export const jobsQuery = pageQuery('jobs', JOB_STATES);
export const shardsQuery = pageQuery('shards', SHARD_STATES);
