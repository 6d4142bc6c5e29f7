import type { FastifySchema } from 'fastify';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import { stepSchema } from '../../engine/read/pipeline.ts';
import { errorAnswers, jsonAnswer } from '../docs/answer-schemas.ts';

/** The member of a body that allows steps with missing plugins. */
const allowMissing = {
  type: 'boolean',
  default: false,
  description:
    'Whether a step may name a plugin that is not loaded here but will be later. Until then the pipeline cannot be executed.',
} as const;

/** Schemas of requests and answers about stored pipelines. */

const stepInput = { title: 'PipelineStepInput', ...stepSchema };
const storedStep = { title: 'PipelineStep', ...stepSchema, required: Object.keys(stepSchema.properties) };

const members = {
  name: { type: 'string', minLength: 1, maxLength: 255, description: 'Unique among all pipelines.' },
  description: {
    anyOf: [{ type: 'string' }, { type: 'null' }],
    description: 'What the pipeline is for, or null.',
  },
};

/** Steps are checked one by one, each with its number. */
const steps = { type: 'array', description: 'Run in this order.' };

export const newBody: ObjectSchema = {
  type: 'object',
  required: ['name', 'steps'],
  properties: { ...members, steps, allow_missing: allowMissing },
  additionalProperties: false,
};

export const changesBody: ObjectSchema = {
  type: 'object',
  properties: { ...members, steps, allow_missing: allowMissing },
  additionalProperties: false,
};

export const pageQuery: ObjectSchema = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 1000, description: 'Maximum pipelines in the answer.' },
    cursor: { type: 'string', description: 'The x-next-cursor of the previous answer.' },
    name: { ...members.name, description: 'The exact name: the answer has one pipeline or none.' },
  },
  additionalProperties: false,
};

const time = { type: 'string', description: 'UTC without a zone, with microseconds.' };
const pipeline = {
  title: 'Pipeline',
  type: 'object',
  required: ['id', 'name', 'description', 'config', 'created_at', 'updated_at'],
  properties: {
    id: { type: 'string', format: 'uuid' },
    ...members,
    config: {
      type: 'object',
      required: ['steps'],
      properties: { steps: { type: 'array', items: storedStep } },
    },
    created_at: time,
    updated_at: time,
  },
};

const etag = { etag: { type: 'string', description: 'Version of the pipeline, for If-Match.' } };

const location = { location: { type: 'string', description: 'URL of the pipeline.' } };

const ifMatch = {
  type: 'object',
  properties: {
    'if-match': {
      type: 'string',
      description: 'ETag of an earlier answer: the request fails with 412 if the pipeline has changed.',
    },
  },
};

const params = {
  type: 'object',
  required: ['pipeline_id'],
  properties: { pipeline_id: { type: 'string', description: 'The `id` of the pipeline.' } },
};

const tags = ['pipelines'];

export function withSteps(title: string, schema: ObjectSchema, maxSteps: number): object {
  const documented = {
    ...steps,
    description: `At most ${maxSteps}, run in this order.`,
    items: stepInput,
    maxItems: maxSteps,
  };
  return { title, ...schema, properties: { ...schema.properties, steps: documented } };
}

export const create = (maxSteps: number): FastifySchema => ({
  tags,
  operationId: 'create_pipeline',
  summary: 'Create a pipeline',
  description:
    'Stores steps under a name. The plugin of every step and its parameters are checked now; the order of the steps is checked when the pipeline is executed.',
  body: withSteps('PipelineInput', newBody, maxSteps),
  response: {
    201: jsonAnswer('The pipeline was created.', pipeline, { ...etag, ...location }),
    ...errorAnswers([409]),
  },
});

export const list: FastifySchema = {
  tags,
  operationId: 'list_pipelines',
  summary: 'List pipelines',
  description:
    'All pipelines, newest first, or the one of a `name`, or at most `limit` of them; the headers Link and x-next-cursor then lead to the next ones.',
  querystring: pageQuery,
  response: {
    200: jsonAnswer(
      'The pipelines, newest first.',
      { type: 'array', items: pipeline },
      {
        link: { type: 'string', description: 'URL of the next page, if there is one.' },
        'x-next-cursor': { type: 'string', description: 'Cursor of the next page, if there is one.' },
      },
    ),
  },
};

export const get: FastifySchema = {
  tags,
  operationId: 'get_pipeline',
  summary: 'Get a pipeline',
  description: 'The pipeline, with its version in the header ETag.',
  params,
  response: {
    200: jsonAnswer('The pipeline.', pipeline, etag),
  },
};

export const update = (maxSteps: number): FastifySchema => ({
  tags,
  operationId: 'update_pipeline',
  summary: 'Change a pipeline',
  description: 'Sets the given members and leaves the others. A description of null removes it.',
  params,
  headers: ifMatch,
  body: withSteps('PipelineChanges', changesBody, maxSteps),
  response: {
    200: jsonAnswer('The current pipeline.', pipeline, etag),
    ...errorAnswers([409]),
  },
});

export const remove: FastifySchema = {
  tags,
  operationId: 'delete_pipeline',
  summary: 'Delete a pipeline',
  description: 'Removes it permanently; with `If-Match` only if it has not changed since.',
  params,
  headers: ifMatch,
  response: {
    204: { type: 'null', description: 'The pipeline was deleted.' },
  },
};

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
    ...errorAnswers([404]),
  },
});
