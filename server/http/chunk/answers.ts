import type { Manifest } from '../../../core/contracts/manifest.ts';
import { placeProperties } from '../../engine/read/places.ts';
import { componentName } from '../docs/names.ts';

/**
 * Schemas of answers, for the documentation. A schema whose `title` is one word becomes a component with that name,
 * which clients can use.
 */

const chunkProperties = {
  text: { type: 'string', description: 'A stretch of the text, unchanged.' },
  start_index: {
    type: 'integer',
    minimum: 0,
    description: "Where the chunk begins in the text, in the request's unit.",
  },
  end_index: { type: 'integer', minimum: 0, description: 'Where the chunk ends in the text.' },
  token_count: {
    type: 'integer',
    minimum: 0,
    description: "Tokens of the chunk, counted by the request's tokenizer.",
  },
} as const;

const number = { type: ['integer', 'null'], minimum: 1 } as const;
const uuid = { type: ['string', 'null'], format: 'uuid' } as const;

/** The fields that `include` asks for. */
const includedProperties = {
  id: {
    type: 'string',
    format: 'uuid',
    description: 'Stays the same as long as the document and the content do.',
  },
  document_id: { type: ['string', 'null'] },
  index: { type: 'integer', minimum: 0, description: 'Index among the chunks of its document.' },
  hash: { type: 'string', description: 'SHA-256 of the text to embed, in hex.' },
  metadata: { type: ['object', 'null'], description: 'The metadata of the document.' },
  first_line: number,
  last_line: number,
  first_page: number,
  last_page: number,
  places: {
    type: ['array', 'null'],
    items: { title: 'SourcePosition', type: 'object', properties: placeProperties },
    description: 'Where the chunk comes from, each place once; null if its document has no places.',
  },
  previous_id: uuid,
  next_id: uuid,
} as const;

const required = ['text', 'start_index', 'end_index', 'token_count'] as const;

/** The output of a chunker. */
export const chunk = {
  title: 'Chunk',
  type: 'object',
  required,
  properties: { ...chunkProperties, ...includedProperties },
} as const;

/** The input and output of a refinery: further fields are the caller's. */
export const givenChunk = {
  title: 'GivenChunk',
  type: 'object',
  required,
  properties: chunkProperties,
} as const;

/** A list, or a list of lists for a batch. */
export function oneOrMany(items: object): object {
  const list = { type: 'array', items };
  return { anyOf: [list, { type: 'array', items: list }] };
}

/** A chunk with the fields that a plugin adds. */
export function chunkOf(manifest: Manifest): object {
  const { kind, fields } = manifest;
  const base = kind === 'refinery' ? givenChunk : chunk;
  if (fields === undefined) return base;
  const added = { type: 'object', properties: fields };
  return { title: `${componentName(manifest)}Chunk`, allOf: [base, added] };
}

/** The output of a pipeline. */
export const pipelineChunk = {
  title: 'PipelineChunk',
  allOf: [
    chunk,
    {
      type: 'object',
      required: ['id', 'context', 'embedding'],
      properties: {
        id: {
          type: 'string',
          format: 'uuid',
          description: 'Derived from steps, text and position: a second run gives the same id.',
        },
        context: {
          type: ['string', 'null'],
          description: 'Overlap with the neighbours; null if there is none.',
        },
        embedding: {
          type: ['array', 'null'],
          items: { type: 'number' },
          description: 'Null if no step computed one.',
        },
      },
    },
  ],
} as const;

export const embeddings = {
  title: 'Embeddings',
  type: 'object',
  required: ['model', 'dimensions', 'embeddings'],
  properties: {
    model: { type: 'string', description: "The model's own name, even if the request used an alias." },
    dimensions: { type: 'integer', minimum: 0, description: 'Length of a vector.' },
    embeddings: {
      type: 'array',
      items: { anyOf: [{ type: 'array', items: { type: 'number' } }, { type: 'string' }] },
      description: 'The vectors in the order of the texts: lists of numbers, or base64.',
    },
  },
} as const;

const tokenList = {
  title: 'Tokens',
  type: 'object',
  required: ['count'],
  properties: {
    count: { type: 'integer', minimum: 0, description: 'How many tokens the text has.' },
    offsets: {
      type: 'array',
      items: { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 },
      description:
        'Start and end of each token. A token that ends within a character is extended to its end, and the remaining tokens of that character are empty.',
    },
    ids: {
      type: 'array',
      items: { type: 'integer' },
      description: 'The id of each token, without the special tokens of a model.',
    },
    tokens: {
      type: 'array',
      items: { type: 'string' },
      description: 'The text of each token, by its offsets; joined, they are the text.',
    },
  },
} as const;

export const tokenizedTexts = {
  title: 'TokenizedTexts',
  type: 'object',
  required: ['tokenizer', 'results'],
  properties: {
    tokenizer: { type: 'string', description: 'The tokenizer that counted.' },
    results: { type: 'array', items: tokenList, description: 'One for each text, in their order.' },
  },
} as const;
