import type { FastifySchema } from 'fastify';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import type { Config } from '../../config/config.ts';
import { errorAnswers, jsonAnswer } from '../answer-schemas.ts';
import { withSteps } from '../pipelines/schemas.ts';
import { job, shard } from './answer-schemas.ts';
import { errors, events, params, result, tags } from './output-schemas.ts';
import { jobBody, jobsQuery, shardsQuery } from './request-schemas.ts';

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
  response: { ...ofShards.response, ...errorAnswers([404]) },
};

const get: FastifySchema = {
  tags,
  operationId: 'get_job',
  summary: 'Get a job',
  description: 'Its state, and how far it is.',
  params,
  response: { 200: jsonAnswer('The job.', job), ...errorAnswers([404, 405, 500, 503]) },
};

const cancel: FastifySchema = {
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

const retry: FastifySchema = {
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

const remove: FastifySchema = {
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
