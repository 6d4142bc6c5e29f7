import type { FastifySchema } from 'fastify';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import type { Config } from '../../config/config.ts';
import { errorAnswers, jsonAnswer } from '../answer-schemas.ts';
import { withSteps } from '../pipelines/schemas.ts';
import { LINES } from '../streams/media.ts';
import { job, manifest, shard } from './answer-schemas.ts';
import { EVENTS } from './event-stream.ts';
import { jobBody, jobsQuery, shardsQuery } from './request-schemas.ts';

/** What the documentation says of the routes of jobs. */

const tags = ['jobs'];

const params = {
  type: 'object',
  required: ['job_id'],
  properties: { job_id: { type: 'string', description: 'The `id` of the job.' } },
};

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

export const create = ({ idNamespace, maxSteps }: Config): FastifySchema => ({
  tags,
  operationId: 'create_job',
  summary: 'Create a job',
  description: CREATE,
  headers: idempotency,
  body: withSteps('JobInput', jobBody(idNamespace), maxSteps),
  response: {
    200: jsonAnswer('The job of this Idempotency-Key, which was there already.', job, location),
    202: jsonAnswer('The job was made, and runs when its turn comes.', job, location),
    ...errorAnswers([400, 405, 413, 415, 422, 500, 503]),
  },
});

const listed = (operationId: string, summary: string, query: ObjectSchema, item: object) => ({
  tags,
  operationId,
  summary,
  querystring: query,
  response: {
    200: jsonAnswer('A page of them.', { type: 'array', items: item }, nextPage),
    ...errorAnswers([400, 405, 500, 503]),
  },
});

export const list: FastifySchema = {
  ...listed('list_jobs', 'List jobs', jobsQuery, job),
  description: 'The jobs, newest first, at most `limit` of them; the headers Link and x-next-cursor lead on.',
};

const ofShards = listed('list_shards', 'List shards', shardsQuery, shard);
export const shards: FastifySchema = {
  ...ofShards,
  description:
    'The parts that the source of a job is divided into, in its order, with what is wrong with those that failed.',
  params,
  response: { ...ofShards.response, ...errorAnswers([404]) },
};

export const get: FastifySchema = {
  tags,
  operationId: 'get_job',
  summary: 'Get a job',
  description: 'Its state, and how far it is.',
  params,
  response: { 200: jsonAnswer('The job.', job), ...errorAnswers([404, 405, 500, 503]) },
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

export const events: FastifySchema = {
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
    ...errorAnswers([404, 405, 500, 503]),
  },
};

export const result: FastifySchema = {
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
    ...errorAnswers([404, 405, 409, 500, 503]),
  },
};

export const errors: FastifySchema = {
  tags,
  operationId: 'get_job_errors',
  summary: 'Get the errors of a job',
  description:
    'A line for each document that failed: where it stands, its id, and what is wrong. While the job runs, those of the shards that are done.',
  params,
  response: {
    200: { description: 'The documents that failed.', ...lines('A line for each document that failed.') },
    ...errorAnswers([404, 405, 500, 503]),
  },
};

export const cancel: FastifySchema = {
  tags,
  operationId: 'cancel_job',
  summary: 'Cancel a job',
  description: 'Stops what runs of it. A job that is over stays as it is.',
  params,
  response: {
    200: jsonAnswer('The job as it is now.', job),
    ...errorAnswers([404, 405, 413, 415, 500, 503]),
  },
};

export const retry: FastifySchema = {
  tags,
  operationId: 'retry_job',
  summary: 'Retry a job',
  description: 'Opens a job again that failed or was cancelled. Only its shards that are not done are done.',
  params,
  response: {
    200: jsonAnswer('The job as it is now.', job),
    ...errorAnswers([404, 405, 409, 413, 415, 500, 503]),
  },
};

export const remove: FastifySchema = {
  tags,
  operationId: 'delete_job',
  summary: 'Delete a job',
  description: 'Removes a job that is over, with the files that it has written.',
  params,
  response: {
    204: { type: 'null', description: 'The job was deleted.' },
    ...errorAnswers([404, 405, 409, 413, 415, 500, 503]),
  },
};
