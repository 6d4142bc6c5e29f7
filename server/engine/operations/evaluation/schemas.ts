import type { FromSchema } from 'json-schema-to-ts';
import type { ObjectSchema } from '../../../../core/contracts/manifest.ts';
import { type PresetUse, presetMembers } from '../../presets/read-presets.ts';
import { documentSchema } from '../../read/document-schemas.ts';
import { stepSchema } from '../../read/pipeline.ts';
import { embeddingModel } from '../../read/text-schemas.ts';

/** Maximum candidates of a request, and maximum chunks to find. */
export const MOST_CANDIDATES = 16;
const MOST_FOUND = 100;

/** Which text of a chunk is embedded. */
export const EMBEDDED = ['text', 'context+text'] as const;
export type Embedded = (typeof EMBEDDED)[number];

const offset = { type: 'integer', minimum: 0 } as const;

const answer = {
  title: 'Answer',
  type: 'object',
  required: ['document', 'start_index', 'end_index'],
  properties: {
    document: {
      anyOf: [offset, documentSchema.properties.id.anyOf[0]],
      description: 'The document with the answer: its index in documents, from 0, or its id.',
    },
    start_index: { ...offset, description: 'Where the answer begins in its text.' },
    end_index: { ...offset, description: 'Where it ends.' },
  },
  additionalProperties: false,
} as const;

const question = {
  title: 'Question',
  type: 'object',
  required: ['question', 'answers'],
  properties: {
    question: { type: 'string', minLength: 1, description: 'The search query.' },
    answers: { type: 'array', items: answer, description: 'All passages that answer it, at least one.' },
  },
  additionalProperties: false,
} as const;

const candidate = {
  title: 'Candidate',
  type: 'object',
  properties: {
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'Name of the candidate in the answer.',
    },
    chunker: { type: 'string', minLength: 1, maxLength: 255, description: 'Name of a chunker.' },
    config: {
      type: 'object',
      additionalProperties: true,
      description: 'Parameters of the chunker: those of its own endpoint, except the text.',
    },
    pipeline: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'Id or name of a stored pipeline.',
    },
    steps: {
      type: 'array',
      items: { title: 'PipelineStepInput', ...stepSchema },
      description: 'Steps of a pipeline that is not stored.',
    },
    ...presetMembers,
  },
  additionalProperties: false,
} as const;

/** A question and a candidate of a request, checked against their schemas. */
export type GivenQuestion = FromSchema<typeof question>;
export type GivenCandidate = Omit<FromSchema<typeof candidate>, keyof PresetUse> & PresetUse;

/** The request that evaluates candidates; the model is required unless there is a default. */
export function evaluateRequest(defaultModel: string | undefined, offsetUnit: object): ObjectSchema {
  const required = ['documents', 'questions', 'candidates'];
  return {
    type: 'object',
    required: defaultModel === undefined ? [...required, 'embedding_model'] : required,
    properties: {
      documents: { type: 'array', items: documentSchema, description: 'The documents to search.' },
      questions: { type: 'array', items: question, description: 'The search queries, with their answers.' },
      candidates: {
        type: 'array',
        items: candidate,
        description: `The candidates to compare, 1 to ${MOST_CANDIDATES}: each is a chunker with its config, a stored pipeline, a preset, or steps.`,
      },
      k: {
        type: 'integer',
        minimum: 1,
        maximum: MOST_FOUND,
        default: 5,
        description: 'How many chunks to find for each question.',
      },
      embedding_model: embeddingModel(defaultModel),
      embed: {
        enum: EMBEDDED,
        default: 'text',
        description:
          'Which text of a chunk is embedded: its text alone, or its context, a line feed and its text.',
      },
      offset_unit: {
        ...offsetUnit,
        description: 'Unit of all offsets of the request and its answer; the unit of candidates is ignored.',
      },
    },
    additionalProperties: false,
  };
}
