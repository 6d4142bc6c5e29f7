import type { FromSchema } from 'json-schema-to-ts';
import type { ObjectSchema } from '../../../../core/contracts/manifest.ts';
import { type PresetUse, presetMembers } from '../../presets/presets.ts';
import { documentSchema, embeddingModel, longTexts } from '../../read/document-schemas.ts';
import { stepSchema } from '../../read/pipeline.ts';
import { LISTED } from './ranking.ts';

export const MAX_CANDIDATES = 16;

export const RETRIEVERS = ['dense', 'bm25', 'hybrid'] as const;
export type Retriever = (typeof RETRIEVERS)[number];

export const BUDGET_TOKENIZER = 'cl100k_base';

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
    retriever: { enum: RETRIEVERS, description: 'Instead of the `retriever` of the request.' },
  },
  additionalProperties: false,
} as const;

export type GivenQuestion = FromSchema<typeof question>;
export type GivenCandidate = Omit<FromSchema<typeof candidate>, keyof PresetUse> & PresetUse;

/** Without a default model, a request needs a model for every retriever except `bm25`. */
export function evaluateRequest(
  defaultModel: string | undefined,
  offsetUnit: object,
  { default: _, ...tokenizer }: Readonly<Record<string, unknown>>,
): ObjectSchema {
  return {
    type: 'object',
    required: ['documents', 'questions', 'candidates'],
    properties: {
      documents: { type: 'array', items: documentSchema, description: 'The documents to search.' },
      questions: { type: 'array', items: question, description: 'The search queries, with their answers.' },
      candidates: {
        type: 'array',
        items: candidate,
        description: `The candidates to compare, 1 to ${MAX_CANDIDATES}: each is a chunker with its config, a stored pipeline, a preset, or steps.`,
      },
      ...search,
      tokenizer: {
        ...tokenizer,
        description:
          'What tokens are counted with: by default the tokenizer of each candidate, or with a `budget` the same one for all.',
      },
      embedding_model: embeddingModel(defaultModel),
      long_texts: longTexts,
      embed: {
        enum: EMBEDDED,
        default: 'text',
        description:
          'Which text of a chunk is searched: its text alone, or its context, a line feed and its text.',
      },
      offset_unit: {
        ...offsetUnit,
        description: 'Unit of all offsets of the request and its answer; the unit of candidates is ignored.',
      },
    },
    additionalProperties: false,
  };
}

const search = {
  retriever: {
    enum: RETRIEVERS,
    default: 'dense',
    description:
      'What finds chunks: the cosine of vectors, BM25 over words, or both by the reciprocal ranks of their lists.',
  },
  k: {
    type: 'integer',
    minimum: 1,
    maximum: LISTED,
    default: 5,
    description: 'How many chunks to find for each question, unless there is a `budget`.',
  },
  budget: {
    type: 'integer',
    minimum: 1,
    maximum: 100_000,
    description: `Tokens to find for each question, instead of \`k\`: the best ${LISTED} chunks, except for those that no longer fit.`,
  },
  seed: {
    type: 'integer',
    minimum: 0,
    maximum: 2 ** 32 - 1,
    default: 0,
    description:
      'Seeds the resamples that intervals are computed from: the same request has the same answer.',
  },
} as const;
