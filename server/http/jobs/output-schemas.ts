import type { FastifySchema } from 'fastify';
import { errorAnswers, jsonAnswer } from '../answer-schemas.ts';
import { LINES } from '../streams/media.ts';
import { job, manifest } from './answer-schemas.ts';
import { EVENTS } from './media.ts';

/** What the documentation says of the routes that hand out what jobs do and have made. */

export const tags = ['jobs'];

export const params = {
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
    'A line for each document that failed: where it stands, its id, and what is wrong; and one for each file that was skipped, with the reason as `skipped` and no `status`. While the job runs, those of the shards that are done.',
  params,
  response: {
    200: {
      description: 'What failed, and what was skipped.',
      ...lines('A line for each document that failed, and each file that was skipped.'),
    },
    ...errorAnswers([404, 405, 500, 503]),
  },
};
