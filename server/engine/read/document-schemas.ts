import { LONG_TEXTS, PURPOSES } from '../../../core/contracts/embedding.ts';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import { leftOutSchema, placeSchema } from './places.ts';

export const INCLUDED = [
  'id',
  'document_id',
  'index',
  'hash',
  'metadata',
  'lines',
  'pages',
  'places',
  'left_out',
  'neighbours',
] as const;
export type Included = (typeof INCLUDED)[number];

/** Location of a request's inputs: one of its members, or separate lines of a stream or a file. */
export type Source = 'text' | 'documents' | 'apart';

const OF_DOCUMENTS: readonly Included[] = ['id', 'document_id', 'index', 'metadata'];
const DEFAULTS: Readonly<Record<Source, readonly Included[]>> = {
  text: [],
  documents: OF_DOCUMENTS,
  apart: OF_DOCUMENTS,
};

const MAX_ID_LENGTH = 512;

export const documentSchema = {
  title: 'Document',
  type: 'object',
  required: ['text'],
  properties: {
    text: { type: 'string', description: 'The text to chunk.' },
    id: {
      anyOf: [{ type: 'string', minLength: 1, maxLength: MAX_ID_LENGTH }, { type: 'integer' }],
      description:
        'Your id of the document; the ids of its chunks are derived from it. An integer and the string of its digits are the same id.',
    },
    title: { type: 'string', description: 'Title of the document, for plugins that use it.' },
    filename: {
      type: 'string',
      minLength: 1,
      maxLength: 4096,
      description: 'File name, optionally with folders, for plugins that detect the format by it.',
    },
    media_type: {
      type: 'string',
      pattern: '^[a-z0-9.+-]+/[a-z0-9.+-]+$',
      maxLength: 255,
      examples: ['text/markdown', 'text/html'],
      description: 'Format of the text, if it is not the one that the file name tells.',
    },
    metadata: {
      type: 'object',
      description: 'Any JSON; each chunk gets an exact copy of its bytes, so no number changes.',
    },
    pages: {
      type: 'array',
      items: { type: 'integer', minimum: 0 },
      description:
        'Where the pages begin in the text, in the unit of the request; the first is 0. Two equal offsets mean a page without text.',
    },
    places: {
      type: 'array',
      items: placeSchema,
      excludes: ['pages'],
      description:
        'Where stretches of the text come from: pages, times of a recording, cells of a sheet. Neither starts nor ends decrease.',
    },
    left_out: {
      type: 'array',
      items: leftOutSchema,
      description: 'Texts that were left out of the text, such as headers, in the order of places.',
    },
  },
  additionalProperties: false,
} as const;

const { id, title, metadata } = documentSchema.properties;

export const fileDocumentSchema = {
  title: 'FileDocument',
  type: 'object',
  properties: { id, title, metadata },
  additionalProperties: false,
} as const;

export const SOURCES = {
  text: {
    text: {
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
      description: 'A text, or a list of texts: the answer is then a list of lists, in the same order.',
    },
  },
  documents: {
    documents: {
      type: 'array',
      items: documentSchema,
      excludes: ['text'],
      description: 'Documents: the answer is a list of lists, in the same order.',
    },
  },
} as const;

export function fieldMembers(source: Source, namespace: string): Readonly<Record<string, object>> {
  return {
    include: {
      type: 'array',
      items: { enum: INCLUDED },
      default: DEFAULTS[source],
      description:
        'Further fields of the chunks: lines adds first_line and last_line, pages first_page and last_page, places where it comes from, left_out what its file says there besides, neighbours previous_id and next_id. For documents the default is id, document_id, index and metadata.',
    },
    namespace: {
      type: 'string',
      maxLength: MAX_ID_LENGTH,
      default: namespace,
      description: 'Chunk ids differ between namespaces, for example one per collection.',
    },
  };
}

const count = { type: 'integer', minimum: 0 } as const;

const chunk = {
  type: 'object',
  required: ['text', 'start_index', 'end_index', 'token_count'],
  properties: { text: { type: 'string' }, start_index: count, end_index: count, token_count: count },
} as const;

export const chunksOfOne = { type: 'array', items: chunk } as const;
export const chunksOfMany = { type: 'array', items: chunksOfOne } as const;
/** A line of a stream with chunks. The line may also have the other members of a chunker's answer. */
export const chunksLine = {
  type: 'object',
  required: ['chunks'],
  properties: { index: {}, id: documentSchema.properties.id, chunks: chunksOfOne },
  additionalProperties: false,
} as const;

export const TOKEN_FIELDS = ['offsets', 'ids', 'tokens'] as const;
export type TokenField = (typeof TOKEN_FIELDS)[number];

/** How vectors are written: as lists of numbers, or as float32 in base64. */
export const ENCODINGS = ['float', 'base64'] as const;
export type Encoding = (typeof ENCODINGS)[number];

export function embeddingModel(defaultModel: string | undefined): object {
  return {
    type: 'string',
    minLength: 1,
    maxLength: 200,
    ...(defaultModel === undefined ? {} : { default: defaultModel }),
    description: 'A model of GET /v1/models, or any other model of its providers.',
  };
}

export const longTexts = {
  enum: LONG_TEXTS,
  default: 'average',
  description:
    "What to do with a text that is longer than the model's window: embed it in parts and average their vectors, cut it, or refuse the request. A hosted model always refuses. x-embedding-cut counts such texts.",
} as const;

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
