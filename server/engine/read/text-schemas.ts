import { LONG_TEXTS, PURPOSES } from '../../../core/contracts/embedding.ts';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';

/** What the answer to a request for tokens may have besides the counts. */
export const TOKEN_FIELDS = ['offsets', 'ids', 'tokens'] as const;
export type TokenField = (typeof TOKEN_FIELDS)[number];

/** How vectors are written: as lists of numbers, or as float32 in base64. */
export const ENCODINGS = ['float', 'base64'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** The member of a request that names an embedding model. */
export function embeddingModel(defaultModel: string | undefined): object {
  return {
    type: 'string',
    minLength: 1,
    maxLength: 200,
    ...(defaultModel === undefined ? {} : { default: defaultModel }),
    description: 'A model of GET /v1/models, or any other model of its providers.',
  };
}

/** The member of a request that embeds texts. */
export const longTexts = {
  enum: LONG_TEXTS,
  default: 'average',
  description:
    "What to do with a text that is longer than the model's window: embed it in parts and average their vectors, cut it, or refuse the request. A hosted model always refuses. x-embedding-cut counts such texts.",
} as const;

/** The request for vectors of texts; the model is required unless there is a default. */
export function embedRequest(text: object, defaultModel: string | undefined): ObjectSchema {
  return {
    type: 'object',
    required: defaultModel === undefined ? ['text', 'embedding_model'] : ['text'],
    properties: {
      text,
      embedding_model: embeddingModel(defaultModel),
      purpose: {
        enum: PURPOSES,
        default: 'document',
        description:
          'Purpose of the vectors: texts to be searched, a query, or texts to be compared with each other. Models that do not distinguish these ignore it.',
      },
      long_texts: longTexts,
      encoding: {
        enum: ENCODINGS,
        default: 'float',
        description:
          'How vectors are written: as lists of numbers, or as base64 of little-endian 32-bit floats, which is exact and a third of the size.',
      },
    },
    additionalProperties: false,
  };
}

/** The request for the tokens of texts. */
export function tokenizeRequest(text: object, tokenizer: object, offsetUnit: object): ObjectSchema {
  return {
    type: 'object',
    required: ['text'],
    properties: {
      text,
      tokenizer,
      include: {
        type: 'array',
        items: { enum: TOKEN_FIELDS },
        default: [],
        description:
          'What to return besides the counts: where each token begins and ends, its id, its text. Only tokenizers of models have ids.',
      },
      offset_unit: { ...offsetUnit, description: 'Unit of the offsets.' },
    },
    additionalProperties: false,
  };
}
