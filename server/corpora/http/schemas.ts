import type { FastifySchema } from 'fastify';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import type { Config } from '../../config/config.ts';
import { errorOfPart } from '../../http/chunk/stream-schemas.ts';
import { errorAnswers, jsonAnswer } from '../../http/docs/answer-schemas.ts';
import { withSteps } from '../../http/pipelines/schemas.ts';
import { LINES } from '../../http/transport/media.ts';
import { JOB_STATES, SHARD_STATES } from '../../store/jobs/contract.ts';
import { FORMATS } from '../shard.ts';
import { EVENTS } from './event-stream.ts';
import { jobBody, jobsQuery, shardsQuery } from './request-schemas.ts';

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

const job = {
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

const shard = {
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

const manifest = {
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

/** What the documentation says of the routes that hand out what jobs do and have made. */

const tags = ['jobs'];

const params = {
  type: 'object',
  required: ['job_id'],
  properties: { job_id: { type: 'string', description: 'The `id` of the job.' } },
};

const lines = (description: string) => ({
  content: { [LINES]: { schema: { type: 'string', contentMediaType: LINES, description } } },
});

const jobLines = {
  title: 'JobLines',
  type: 'string',
  contentMediaType: LINES,
  contentSchema: job,
  description: 'A `Job` whenever it has changed, the first at once.',
};

const events: FastifySchema = {
  tags,
  operationId: 'watch_job',
  summary: 'Watch a job',
  description:
    'Server-sent events: the job as it is now, then whenever it has changed, until it is over. With `Accept: application/x-ndjson` lines of JSON.',
  params,
  response: {
    200: {
      description: 'The job, again and again.',
      content: { [EVENTS]: { schema: { type: 'string' } }, [LINES]: { schema: jobLines } },
    },
    204: { type: 'null', description: 'The client has had the last event (Last-Event-ID).' },
  },
};

const result: FastifySchema = {
  tags,
  operationId: 'get_job_result',
  summary: 'Get the result of a job',
  description:
    'The manifest, which names the part files; with `Accept: application/x-ndjson` the lines of all of them, in the order of the source.',
  params,
  response: {
    200: {
      ...jsonAnswer('The manifest, or the chunks.', manifest),
      content: {
        'application/json': { schema: manifest },
        ...lines('A line for each chunk, or for each document.').content,
      },
    },
    ...errorAnswers([409]),
  },
};

const errors: FastifySchema = {
  tags,
  operationId: 'get_job_errors',
  summary: 'Get the errors of a job',
  description:
    'A line for each document that failed: where it stands, its id, and what is wrong; and one for each file that was skipped, with the reason as `skipped` and no `status`. While the job runs, those of the shards that are done.',
  params,
  response: {
    200: {
      description: 'What failed, and what was skipped.',
      ...lines('A line for each document that failed, and each file that was skipped.'),
    },
  },
};

/** What the documentation says of the routes of jobs. */

const idempotency = {
  type: 'object',
  properties: {
    'idempotency-key': {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description:
        'The same key and the same request give the job that is there, so that a request can be sent again.',
    },
  },
};

const location = { location: { type: 'string', description: 'Address of the job.' } };
const nextPage = {
  link: { type: 'string', description: 'Address of the next page, if there is one.' },
  'x-next-cursor': { type: 'string', description: 'Cursor of the next page, if there is one.' },
};

const CREATE = `Chunks a corpus in the background: files below the root of the server, in a bucket that it has a connection to,
or documents of the request. The work goes on if the server is started again, and workers on several machines share it. The
chunks are written as JSON Lines into part files, then a manifest; ids follow from the documents, so that a second run
writes the same. Steps, paths, sink and callback are checked now.`;

const create = ({ idNamespace, maxSteps }: Config): FastifySchema => ({
  tags,
  operationId: 'create_job',
  summary: 'Create a job',
  description: CREATE,
  headers: idempotency,
  body: withSteps('JobInput', jobBody(idNamespace), maxSteps),
  response: {
    200: jsonAnswer('The job of this Idempotency-Key, which was there already.', job, location),
    202: jsonAnswer('The job was made, and runs when its turn comes.', job, location),
    ...errorAnswers([422]),
  },
});

const listed = (operationId: string, summary: string, query: ObjectSchema, item: object) => ({
  tags,
  operationId,
  summary,
  querystring: query,
  response: {
    200: jsonAnswer('A page of them.', { type: 'array', items: item }, nextPage),
  },
});

const list: FastifySchema = {
  ...listed('list_jobs', 'List jobs', jobsQuery, job),
  description: 'The jobs, newest first, at most `limit` of them; the headers Link and x-next-cursor lead on.',
};

const ofShards = listed('list_shards', 'List shards', shardsQuery, shard);
const shards: FastifySchema = {
  ...ofShards,
  description:
    'The parts that the source of a job is divided into, in its order, with what is wrong with those that failed.',
  params,
  response: { ...ofShards.response },
};

const get: FastifySchema = {
  tags,
  operationId: 'get_job',
  summary: 'Get a job',
  description: 'Its state, and how far it is.',
  params,
  response: { 200: jsonAnswer('The job.', job) },
};

const cancel: FastifySchema = {
  tags,
  operationId: 'cancel_job',
  summary: 'Cancel a job',
  description: 'Stops what runs of it. A job that is over stays as it is.',
  params,
  response: {
    200: jsonAnswer('The job as it is now.', job),
  },
};

const retry: FastifySchema = {
  tags,
  operationId: 'retry_job',
  summary: 'Retry a job',
  description: 'Opens a job again that failed or was cancelled. Only its shards that are not done are done.',
  params,
  response: {
    200: jsonAnswer('The job as it is now.', job),
    ...errorAnswers([409]),
  },
};

const remove: FastifySchema = {
  tags,
  operationId: 'delete_job',
  summary: 'Delete a job',
  description: 'Removes a job that is over, with the files that it has written.',
  params,
  response: {
    204: { type: 'null', description: 'The job was deleted.' },
    ...errorAnswers([409]),
  },
};

const JOB = '/v1/jobs/:job_id';

/** The routes of jobs, without what they do. */
export function jobRoutesOf(config: Config) {
  return {
    create: { method: 'POST', url: '/v1/jobs', schema: create(config) },
    list: { method: 'GET', url: '/v1/jobs', schema: list },
    get: { method: 'GET', url: JOB, schema: get },
    shards: { method: 'GET', url: `${JOB}/shards`, schema: shards },
    events: { method: 'GET', url: `${JOB}/events`, schema: events },
    result: { method: 'GET', url: `${JOB}/result`, schema: result },
    errors: { method: 'GET', url: `${JOB}/errors`, schema: errors },
    cancel: { method: 'POST', url: `${JOB}/cancel`, schema: cancel },
    retry: { method: 'POST', url: `${JOB}/retry`, schema: retry },
    remove: { method: 'DELETE', url: JOB, schema: remove },
  } as const;
}

export type JobRoutes = ReturnType<typeof jobRoutesOf>;
