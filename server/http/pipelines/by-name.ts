import type { FastifySchema } from 'fastify';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import { errorAnswers, jsonAnswer } from '../docs/answer-schemas.ts';
import { etag, ifMatch, location, newBody, pipeline, tags, withSteps } from './schemas.ts';

/** Schemas of the request that creates or updates the pipeline of a name. */

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
    'Creates the pipeline, or sets all members of the one that has this name: a description that is missing is removed. With If-Match only a pipeline that is there is changed.',
  querystring: nameQuery,
  headers: ifMatch,
  body: withSteps('NamedPipeline', wholeBody, maxSteps),
  response: {
    200: jsonAnswer('The pipeline as it is now.', pipeline, etag),
    201: jsonAnswer('The pipeline was created.', pipeline, { ...etag, ...location }),
    ...errorAnswers([404]),
  },
});
