import type { ObjectSchema } from '../../../../core/contracts/manifest.ts';
import { documentSchema } from '../../read/document-schemas.ts';
import { stepSchema } from '../../read/step-schema.ts';
import { embeddingModel } from '../../read/text-schemas.ts';

/** Most candidates of a request, and most chunks that are looked for. */
export const MOST_CANDIDATES = 16;
const MOST_FOUND = 100;

/** What is embedded of a chunk. */
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
      description: 'The document that has the answer: its place in documents, from 0, or its id.',
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
    question: { type: 'string', minLength: 1, description: 'What is searched for.' },
    answers: { type: 'array', items: answer, description: 'All stretches that answer it, at least one.' },
  },
  additionalProperties: false,
} as const;

const candidate = {
  title: 'Candidate',
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 255, description: 'What the answer calls it.' },
    chunker: { type: 'string', minLength: 1, maxLength: 255, description: 'Name of a chunker.' },
    config: {
      type: 'object',
      additionalProperties: true,
      description: 'Parameters of the chunker: those of its own endpoint, without the text.',
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
  },
  additionalProperties: false,
} as const;

/** The request that evaluates candidates; without a default the model is required. */
export function evaluateRequest(defaultModel: string | undefined, offsetUnit: object): ObjectSchema {
  const required = ['documents', 'questions', 'candidates'];
  return {
    type: 'object',
    required: defaultModel === undefined ? [...required, 'embedding_model'] : required,
    properties: {
      documents: { type: 'array', items: documentSchema, description: 'The documents that are searched.' },
      questions: { type: 'array', items: question, description: 'What is searched for, with the answers.' },
      candidates: {
        type: 'array',
        items: candidate,
        description: `What is compared, 1 to ${MOST_CANDIDATES}: each is a chunker with its config, a stored pipeline, or steps.`,
      },
      k: {
        type: 'integer',
        minimum: 1,
        maximum: MOST_FOUND,
        default: 5,
        description: 'How many chunks each question finds.',
      },
      embedding_model: embeddingModel(defaultModel),
      embed: {
        enum: EMBEDDED,
        default: 'text',
        description: 'What is embedded of a chunk: its text, or its context and a line feed before it.',
      },
      offset_unit: {
        ...offsetUnit,
        description:
          'Unit of all offsets of the request and its answer; that of candidates is not looked at.',
      },
    },
    additionalProperties: false,
  };
}
