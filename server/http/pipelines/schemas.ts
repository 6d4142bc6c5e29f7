import type { FastifySchema } from 'fastify';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import { errorAnswers } from '../answer-schemas.ts';
import { allowMissing } from './allow-missing.ts';

/** Schemas of requests and answers about stored pipelines. */

const nameOrNull = { anyOf: [{ type: 'string' }, { type: 'null' }] } as const;

export const step: ObjectSchema = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { enum: ['chunk', 'refine'], description: 'What the step does.' },
    chunker: { ...nameOrNull, description: 'Name of the chunker of a chunk step, such as recursive.' },
    refinery: { ...nameOrNull, description: 'Name of the refinery of a refine step, such as overlap.' },
    config: {
      type: 'object',
      description: "Parameters of the step: those of the plugin's own endpoint, without text or chunks.",
    },
  },
  additionalProperties: false,
};

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
    limit: { type: 'integer', minimum: 1, maximum: 1000, description: 'Most pipelines of the answer.' },
    cursor: { type: 'string', description: 'The x-next-cursor of the answer before.' },
    name: { ...members.name, description: 'Exactly this name: the answer has one pipeline or none.' },
  },
  additionalProperties: false,
};

export const exampleSteps = [
  { type: 'chunk', chunker: 'recursive', config: { chunk_size: 256 } },
  { type: 'refine', refinery: 'overlap', config: { context_size: 0.25 } },
];

const examplePipeline = {
  id: '0b7e5a52-6a3c-4c0e-9d3e-1f2a3b4c5d6e',
  name: 'articles',
  description: 'Short chunks with context',
  config: {
    steps: [
      { type: 'chunk', chunker: 'recursive', refinery: null, config: { chunk_size: 256 } },
      { type: 'refine', chunker: null, refinery: 'overlap', config: { context_size: 0.25 } },
    ],
  },
  created_at: '2026-01-02T03:04:05.123456',
  updated_at: '2026-01-02T03:04:05.123456',
};

const time = { type: 'string', description: 'UTC without zone, with six digits of a second.' };
const pipeline = {
  type: 'object',
  required: ['id', 'name', 'description', 'config', 'created_at', 'updated_at'],
  properties: {
    id: { type: 'string', format: 'uuid' },
    ...members,
    config: {
      type: 'object',
      required: ['steps'],
      properties: { steps: { type: 'array', items: { ...step, required: Object.keys(step.properties) } } },
    },
    created_at: time,
    updated_at: time,
  },
};

export const one = { ...pipeline, examples: [examplePipeline] };
export const etag = { etag: { type: 'string', description: 'Version of the pipeline, for If-Match.' } };
export const ifMatch = {
  type: 'object',
  properties: {
    'if-match': {
      type: 'string',
      description: 'ETag of an earlier answer: refuses the request with 412 if the pipeline has changed.',
    },
  },
};

const params = {
  type: 'object',
  required: ['pipeline_id'],
  properties: { pipeline_id: { type: 'string', description: 'The `id` of the pipeline.' } },
};

export const bodyProblems = [400, 405, 409, 413, 415, 500, 503];
export const tags = ['pipelines'];

export function withSteps(schema: ObjectSchema, maxSteps: number, example: object): object {
  const documented = {
    ...steps,
    description: `At most ${maxSteps}, run in this order.`,
    items: step,
    maxItems: maxSteps,
  };
  return { ...schema, properties: { ...schema.properties, steps: documented }, examples: [example] };
}

export const create = (maxSteps: number): FastifySchema => ({
  tags,
  operationId: 'pipelines_create',
  summary: 'Create a pipeline',
  description:
    'Stores steps under a name. The plugin of every step and its parameters are checked now; the order of the steps is checked when the pipeline is executed.',
  body: withSteps(newBody, maxSteps, {
    name: 'articles',
    description: 'Short chunks with context',
    steps: exampleSteps,
  }),
  response: {
    201: { ...one, description: 'The pipeline was created.', headers: etag },
    ...errorAnswers(bodyProblems),
  },
});

export const list: FastifySchema = {
  tags,
  operationId: 'pipelines_list',
  summary: 'List pipelines, newest first',
  description:
    'All pipelines, or the one of a `name`, or at most `limit` of them; the headers Link and x-next-cursor then lead to the next ones.',
  querystring: pageQuery,
  response: {
    200: {
      type: 'array',
      items: pipeline,
      description: 'The pipelines, newest first.',
      examples: [[examplePipeline]],
      headers: {
        link: { type: 'string', description: 'Address of the next page, if there is one.' },
        'x-next-cursor': { type: 'string', description: 'Cursor of the next page, if there is one.' },
      },
    },
    ...errorAnswers([400, 405, 500, 503]),
  },
};

export const get: FastifySchema = {
  tags,
  operationId: 'pipelines_get',
  summary: 'Get a pipeline',
  params,
  response: {
    200: { ...one, description: 'The pipeline.', headers: etag },
    ...errorAnswers([404, 405, 500, 503]),
  },
};

export const update = (maxSteps: number): FastifySchema => ({
  tags,
  operationId: 'pipelines_update',
  summary: 'Change a pipeline',
  description: 'Sets the members that are given and leaves the others. A description of null removes it.',
  params,
  headers: ifMatch,
  body: withSteps(changesBody, maxSteps, { description: 'Longer chunks', steps: exampleSteps.slice(0, 1) }),
  response: {
    200: { ...one, description: 'The pipeline as it is now.', headers: etag },
    ...errorAnswers([...bodyProblems, 404, 412]),
  },
});

export const remove: FastifySchema = {
  tags,
  operationId: 'pipelines_delete',
  summary: 'Delete a pipeline',
  params,
  headers: ifMatch,
  response: {
    204: { type: 'null', description: 'The pipeline was deleted.' },
    ...errorAnswers([400, 404, 405, 412, 413, 415, 500, 503]),
  },
};
