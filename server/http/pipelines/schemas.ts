import type { FastifySchema } from 'fastify';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import type { PipelineStep } from '../../../core/contracts/pipeline.ts';
import {
  type Described,
  described,
  listOf,
  natural,
  object,
  orNull,
  text,
} from '../../engine/answer/schemas.ts';
import { MAX_STEPS } from '../../engine/limits.ts';
import { PRESET_NAMES, presetMembers } from '../../engine/presets/presets.ts';
import { stepSchema } from '../../engine/read/pipeline.ts';
import { cursor, errorAnswers, jsonAnswer, nextPage } from '../docs/answer-schemas.ts';
import { sentSteps } from '../docs/example-answers.ts';

const allowMissing = {
  type: 'boolean',
  default: false,
  description:
    'Whether a step may name a plugin, a recipe, a tokenizer, a language or a model that is not here but will be later. Until then the pipeline cannot be executed.',
} as const;

const stepInput = { title: 'PipelineStepInput', ...stepSchema };
const storedStep = { ...stepSchema, ...object(stepSchema.properties), title: 'PipelineStep' } as const;

const members = {
  name: { type: 'string', minLength: 1, maxLength: 255, description: 'Unique among all pipelines.' },
  description: described('What the pipeline is for, or null.', orNull(text)),
} as const;

/** The schema of the list of steps. `readSteps` checks each step. */
const steps = { type: 'array', description: 'Run in this order.' };

export const newBody: ObjectSchema = {
  type: 'object',
  required: ['name'],
  properties: { ...members, steps, ...presetMembers, allow_missing: allowMissing },
  additionalProperties: false,
};

/** For the documentation only: `steps` or `preset` is required. The code that reads steps checks this. */
const hasSteps = { anyOf: [{ required: ['steps'] }, { required: ['preset'] }] } as const;

/** The body of changes to a pipeline. Also the body of a whole pipeline if the query has the name. */
export const changesBody: ObjectSchema = {
  type: 'object',
  properties: newBody.properties,
  additionalProperties: false,
};

export const pageQuery: ObjectSchema = {
  type: 'object',
  properties: {
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      default: 1000,
      description: 'Maximum pipelines in the answer.',
    },
    cursor,
    name: { ...members.name, description: 'The exact name: the answer has one pipeline or none.' },
  },
  additionalProperties: false,
};

const time = described('UTC without a zone, with microseconds.', text);
const pipeline = {
  title: 'Pipeline',
  ...object({
    id: { type: 'string', format: 'uuid' },
    ...members,
    config: object({ steps: listOf(storedStep) }),
    created_at: time,
    updated_at: time,
  }),
} as const;

export type PipelineAnswer = Described<typeof pipeline>;

const etag = { etag: described('Version of the pipeline, for If-Match.', text) };

const location = { location: described('URL of the pipeline.', text) };

const ifMatch = {
  type: 'object',
  properties: {
    'if-match': described(
      'ETag of an earlier answer: the request fails with 412 if the pipeline has changed.',
      text,
    ),
  },
};

const params = object({ pipeline_id: described('The `id` of the pipeline.', text) });

const tags = ['pipelines'];

export function withSteps(title: string, schema: ObjectSchema, ...examples: readonly object[]): object {
  const documented = {
    ...steps,
    description: `At most ${MAX_STEPS}, run in this order.`,
    items: stepInput,
    maxItems: MAX_STEPS,
  };
  const properties = { ...schema.properties, steps: documented };
  return { title, ...schema, properties, ...(examples.length > 0 && { examples }) };
}

/** @param steps steps that can run on this server, so that users can send the examples unchanged */
export function pipelineExamples(steps: readonly PipelineStep[]) {
  const named = { name: 'articles', description: 'Short chunks with context' };
  const stored = {
    id: '0b7e5a52-6a3c-4c0e-9d3e-1f2a3b4c5d6e',
    ...named,
    config: { steps },
    created_at: '2026-01-02T03:04:05.123456',
    updated_at: '2026-01-02T03:04:05.123456',
  };
  const description = 'Chunks alone';
  return {
    stored,
    sent: { ...named, steps: sentSteps(steps) },
    changes: { description, steps: sentSteps(steps.slice(0, 1)) },
    changed: { ...stored, description, config: { steps: steps.slice(0, 1) } },
  };
}

const OF_PRESETS = PRESET_NAMES.map((preset) => ({ name: `my-${preset}`, preset }));

type Examples = ReturnType<typeof pipelineExamples>;

export const create = ({ sent, stored }: Examples): FastifySchema => ({
  tags,
  operationId: 'create_pipeline',
  summary: 'Create a pipeline',
  description:
    'Stores steps under a name, those of a `preset` as they are now. The plugin of every step and its parameters are checked now; the order of the steps is checked when the pipeline is executed.',
  body: withSteps('PipelineInput', { ...newBody, ...hasSteps }, sent, ...OF_PRESETS),
  response: {
    201: jsonAnswer('The pipeline was created.', pipeline, { ...etag, ...location }, stored),
    ...errorAnswers([409]),
  },
});

const listedPreset = {
  title: 'Preset',
  ...object({
    name: text,
    version: described('Changes with the steps, as then the ids and vectors of chunks do.', natural),
    summary: text,
    steps: listOf(storedStep),
    missing: described('What it lacks here, with the remedy; it can run if nothing.', listOf(text)),
  }),
} as const;

export const presets: FastifySchema = {
  tags,
  operationId: 'list_presets',
  summary: 'List presets',
  description:
    'Pipelines that come with the service. Requests name one as `preset`, with an `override`, wherever they take steps.',
  response: { 200: jsonAnswer('The presets, and what they lack here.', listOf(listedPreset)) },
};

export const list = ({ stored }: Examples): FastifySchema => ({
  tags,
  operationId: 'list_pipelines',
  summary: 'List pipelines',
  description:
    'The pipelines, newest first, at most `limit` of them, or the one of a `name`; the headers Link and x-next-cursor lead to the next page.',
  querystring: pageQuery,
  response: {
    200: jsonAnswer('The pipelines, newest first.', listOf(pipeline), nextPage, [stored]),
  },
});

export const get = ({ stored }: Examples): FastifySchema => ({
  tags,
  operationId: 'get_pipeline',
  summary: 'Get a pipeline',
  description: 'The pipeline, with its version in the header ETag.',
  params,
  response: {
    200: jsonAnswer('The pipeline.', pipeline, etag, stored),
  },
});

export const update = ({ changes, changed }: Examples): FastifySchema => ({
  tags,
  operationId: 'update_pipeline',
  summary: 'Change a pipeline',
  description: 'Sets the given members and leaves the others. A description of null removes it.',
  params,
  headers: ifMatch,
  body: withSteps('PipelineChanges', changesBody, changes),
  response: {
    200: jsonAnswer('The current pipeline.', pipeline, etag, changed),
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

export const nameQuery: ObjectSchema = {
  type: 'object',
  required: ['name'],
  properties: { name: newBody.properties.name as object },
  additionalProperties: false,
};

export const put: FastifySchema = {
  tags,
  operationId: 'put_pipeline',
  summary: 'Create or replace a pipeline',
  description:
    'Creates the pipeline, or sets all members of the one with this name: a missing description is removed. With If-Match, only an existing pipeline is changed.',
  querystring: nameQuery,
  headers: ifMatch,
  body: withSteps('NamedPipeline', { ...changesBody, ...hasSteps }),
  response: {
    200: jsonAnswer('The current pipeline.', pipeline, etag),
    201: jsonAnswer('The pipeline was created.', pipeline, { ...etag, ...location }),
    ...errorAnswers([404]),
  },
};
