import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import { documentSchema, fieldMembers } from '../../engine/read/document-schemas.ts';
import { JOB_STATES, SHARD_STATES } from '../../store/jobs/contract.ts';
import { FORMATS } from '../shard.ts';

/** Schemas of requests about jobs. */

const LONGEST_PATH = 4096;
const LONGEST_URL = 2048;

const member = { type: 'string', minLength: 1, maxLength: 1000 } as const;

export const fieldsBody = {
  title: 'FieldMapping',
  type: 'object',
  description: 'Which members of a line, or columns of a table, are what of a document.',
  properties: {
    id: member,
    text: { ...member, description: 'By default `text`.' },
    title: member,
    filename: member,
    metadata: {
      type: 'array',
      items: member,
      description: 'Those that become the metadata; `*` stands for all that have no other use.',
    },
  },
  additionalProperties: false,
} as const;

export const sourceBody = {
  title: 'JobSource',
  type: 'object',
  description: 'A `path`, or `documents` that come with the request.',
  properties: {
    path: {
      type: 'string',
      minLength: 1,
      maxLength: LONGEST_PATH,
      description:
        'A file or folder below the root of the server, `kb/articles` (`.` is all of it), or in a bucket that it has a connection to, `s3://<connection>/kb/articles`.',
    },
    format: {
      enum: ['auto', ...FORMATS],
      default: 'auto',
      description:
        'Files are a document each; a line of JSON Lines and a row of CSV or Parquet is one. auto goes by the names of the files, and never takes one for CSV.',
    },
    fields: fieldsBody,
    documents: {
      type: 'array',
      minItems: 1,
      items: documentSchema,
      excludes: ['path', 'format', 'fields'],
      description: 'Documents, as the routes of chunkers take them.',
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
      maxLength: LONGEST_PATH,
      description:
        'The folder of the output, which no other job has: below the root, or in a bucket. By default `chunksmith-jobs/<id>` below the root.',
    },
    format: {
      enum: ['jsonl', 'parquet'],
      default: 'jsonl',
      description:
        'What the part files are: lines of JSON, or Parquet with the columns `id`, `document_id`, `text`, `start_index`, `end_index`, `token_count`, `metadata`, `embedding` and `fields`, in which all else is as JSON.',
    },
    sink: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string', description: 'Name of the sink.' } },
      additionalProperties: true,
      description: 'Stores the chunks instead of part files: its name, and its options.',
    },
  },
  additionalProperties: false,
} as const;

/** Steps are checked one by one, each with its number. */
const steps = {
  type: 'array',
  minItems: 1,
  description: 'Run in this order on each document.',
  excludes: ['pipeline'],
};

/** The request that makes a job. @param namespace that of the ids of chunks, if the request has none */
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
        description: 'Name or id of a stored pipeline, as it is now; or give `steps`.',
      },
      steps,
      ...fieldMembers('apart', namespace),
      group: {
        enum: ['chunk', 'document'],
        default: 'chunk',
        description: 'Whether a line of the output has a chunk, or all chunks of a document.',
      },
      target: targetBody,
      prune: {
        type: 'boolean',
        description:
          'Whether documents that an earlier job of the same `source` has stored in the same sink, and this one does not find, are deleted there.',
      },
      max_errors: {
        anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }],
        default: null,
        description: 'Most documents that may fail before the job does; null is any number.',
      },
      callback: {
        type: 'string',
        minLength: 1,
        maxLength: LONGEST_URL,
        description: 'URL that is posted to once the job is over.',
      },
    },
    additionalProperties: false,
  };
}

const limit = (description: string) => ({
  type: 'integer',
  minimum: 1,
  maximum: 1000,
  default: 100,
  description,
});
const cursor = { type: 'string', description: 'The x-next-cursor of the answer before.' };

export const jobsQuery: ObjectSchema = {
  type: 'object',
  properties: {
    limit: limit('Most jobs of the answer.'),
    cursor,
    state: { enum: JOB_STATES, description: 'Only jobs in this state.' },
  },
  additionalProperties: false,
};

export const shardsQuery: ObjectSchema = {
  type: 'object',
  properties: {
    limit: limit('Most shards of the answer.'),
    cursor,
    state: { enum: SHARD_STATES, description: 'Only shards in this state.' },
  },
  additionalProperties: false,
};
