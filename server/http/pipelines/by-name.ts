import type { FastifySchema } from 'fastify';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import { errorAnswers } from '../answer-schemas.ts';
import { bodyProblems, etag, exampleSteps, ifMatch, newBody, one, tags, withSteps } from './schemas.ts';

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
  operationId: 'pipelines_put',
  summary: 'Create or update the pipeline of a name',
  description:
    'Creates the pipeline, or sets all members of the one that has this name: a description that is missing is removed. With If-Match only a pipeline that is there is changed.',
  querystring: nameQuery,
  headers: ifMatch,
  body: withSteps(wholeBody, maxSteps, { description: 'Short chunks with context', steps: exampleSteps }),
  response: {
    200: { ...one, description: 'The pipeline as it is now.', headers: etag },
    201: { ...one, description: 'The pipeline was created.', headers: etag },
    ...errorAnswers([...bodyProblems.filter((status) => status !== 409), 404, 412]),
  },
});
