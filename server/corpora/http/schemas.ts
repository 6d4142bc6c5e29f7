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
    'Number of skipped files by reason: no reader for them can run here, or they are binary; empty ones are documents that are done and have no text. Reasons that did not occur are missing. The errors of the job list each file.',
  properties: { no_reader: count, binary: count, empty: count },
} as const;

const job = {
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
    chunks: count,
    embedding_empty: described(
      'Number of texts with no word that the model knows: their vectors mean nothing.',
      count,
    ),
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
};

const shard = {
  title: 'Shard',
  ...object({
    seq: described('Its position in the source; part files have the same number.', count),
    state: { enum: SHARD_STATES },
    attempt: described('How often it was started.', count),
    failures: described('How often it failed, or lost its worker.', count),
    worker: orNull({ type: 'string' }),
    source: object({
      format: { enum: FORMATS },
      file: described('The first of its files.', { type: 'string' }),
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
          description: 'The chunks, the failed documents, and the chunk ids of each document.',
        },
      }),
    },
    counts: {
      ...object({ ...counts, skipped_reasons: skippedReasons }),
      properties: { ...counts, skipped_reasons: skippedReasons, pruned: count, unpruned: count },
    },
  }),
};

/** The documentation of the routes that report on jobs and return their output. */

const tags = ['jobs'];

const params = {
  type: 'object',
  required: ['job_id'],
  properties: { job_id: { type: 'string', description: 'The `id` of the job.' } },
};

/** The documentation of a route of one job. */
const ofJob = (
  operationId: string,
  summary: string,
  description: string,
  response: object,
): FastifySchema => ({ tags, operationId, summary, description, params, response });

const lines = (description: string) => ({ schema: { type: 'string', contentMediaType: LINES, description } });

const jobLines = {
  title: 'JobLines',
  type: 'string',
  contentMediaType: LINES,
  contentSchema: job,
  description: 'A `Job` at once, and whenever it has changed.',
};

const events = ofJob(
  'watch_job',
  'Watch a job',
  'Server-sent events: the current job, then the job whenever it has changed, until it ends. With `Accept: application/x-ndjson` lines of JSON.',
  {
    200: {
      description: 'The job at each change.',
      content: { [EVENTS]: { schema: { type: 'string' } }, [LINES]: { schema: jobLines } },
    },
    204: { type: 'null', description: 'The client has already received the last event (Last-Event-ID).' },
  },
);

const result = ofJob(
  'get_job_result',
  'Get the result of a job',
  'The manifest, which names the part files; with `Accept: application/x-ndjson` the lines of all of them, in the order of the source.',
  {
    200: {
      ...jsonAnswer('The manifest, or the chunks.', manifest),
      content: {
        'application/json': { schema: manifest },
        [LINES]: lines('A line for each chunk, or for each document.'),
      },
    },
    ...errorAnswers([409]),
  },
);

const errors = ofJob(
  'get_job_errors',
  'Get the errors of a job',
  'A line for each failed document: where it is, its id, and its error; and one for each skipped file, with the reason as `skipped` and no `status`. While the job runs, those of finished shards.',
  {
    200: {
      description: 'Failed documents and skipped files.',
      content: { [LINES]: lines('A line for each failed document and each skipped file.') },
    },
  },
);

/** The documentation of the job routes. */

const idempotency = {
  type: 'object',
  properties: {
    'idempotency-key': {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description:
        'Repeating the request with the same key returns the existing job, so that a request can be retried.',
    },
  },
};

const location = { location: { type: 'string', description: 'URL of the job.' } };
const nextPage = {
  link: { type: 'string', description: 'URL of the next page, if there is one.' },
  'x-next-cursor': { type: 'string', description: 'Cursor of the next page, if there is one.' },
};

const CREATE = `Chunks a corpus in the background: files below the root of the server, in a bucket that it has a connection to,
or documents in the request. The work survives a restart of the server, and workers on several machines share it. The
chunks are written as JSON Lines to part files, then a manifest; ids are derived from the documents, so that a second run
writes the same. Steps, paths, sink and callback are checked now.`;

const create = ({ idNamespace, maxSteps }: Config): FastifySchema => ({
  tags,
  operationId: 'create_job',
  summary: 'Create a job',
  description: CREATE,
  headers: idempotency,
  body: withSteps('JobInput', jobBody(idNamespace), maxSteps),
  response: {
    200: jsonAnswer('The existing job with this Idempotency-Key.', job, location),
    202: jsonAnswer('The job was created, and runs when its turn comes.', job, location),
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
  description:
    'The jobs, newest first, at most `limit` of them; the headers Link and x-next-cursor lead to the next page.',
};

const shards: FastifySchema = {
  ...listed('list_shards', 'List shards', shardsQuery, shard),
  description:
    'The parts that the source of a job is divided into, in order, with the errors of failed ones.',
  params,
};

const get = ofJob('get_job', 'Get a job', 'Its state and progress.', { 200: jsonAnswer('The job.', job) });

const changed = { 200: jsonAnswer('The job as it is now.', job) };

const cancel = ofJob(
  'cancel_job',
  'Cancel a job',
  'Stops its running work. A finished job stays as it is.',
  changed,
);

const retry = ofJob(
  'retry_job',
  'Retry a job',
  'Reopens a job that failed or was cancelled. Only its unfinished shards are run.',
  { ...changed, ...errorAnswers([409]) },
);

const remove = ofJob(
  'delete_job',
  'Delete a job',
  'Removes a finished job and the files that it has written.',
  { 204: { type: 'null', description: 'The job was deleted.' }, ...errorAnswers([409]) },
);

const JOB = '/v1/jobs/:job_id';

/** The routes of jobs, without their handlers. */
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
