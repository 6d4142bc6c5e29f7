import type { FastifySchema } from 'fastify';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import { errorAnswers, jsonAnswer } from '../docs/answer-schemas.ts';
import { bodyProblems, etag, ifMatch, location, newBody, pipeline, tags, withSteps } from './schemas.ts';

/** Schemas of the request that creates or updates the pipeline with a given name. */

/** The whole pipeline. Its name may be missing, since the query has it. */
export const wholeBody: ObjectSchema = { ...newBody, required: ['steps'] };

export const nameQuery: ObjectSchema = {
  type: 'object',
  required: ['name'],
  properties: { name: newBody.properties.name as object },
  additionalProperties: false,
};

export const put = (maxSteps: number): FastifySchema => ({
  tags,
  operationId: 'put_pipeline',
  summary: 'Create or replace a pipeline',
  description:
    'Creates the pipeline, or sets all members of the one with this name: a missing description is removed. With If-Match, only an existing pipeline is changed.',
  querystring: nameQuery,
  headers: ifMatch,
  body: withSteps('NamedPipeline', wholeBody, maxSteps),
  response: {
    200: jsonAnswer('The current pipeline.', pipeline, etag),
    201: jsonAnswer('The pipeline was created.', pipeline, { ...etag, ...location }),
    ...errorAnswers([...bodyProblems.filter((status) => status !== 409), 404, 412]),
  },
});
