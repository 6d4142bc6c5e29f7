import type { Manifest } from '../../../core/contracts/manifest.ts';
import { count, described, listOf, natural, number, object, text } from '../../engine/answer/schemas.ts';
import { leftOutProperties, placeProperties } from '../../engine/read/places.ts';
import { componentName } from '../docs/document.ts';

/**
 * Schemas of answers for the documentation. A schema with a one-word `title` becomes a component, which
 * clients can use as a type.
 */

const chunkProperties = {
  text: described('A stretch of the text, unchanged.', text),
  start_index: described("Where the chunk begins in the text, in the request's unit.", natural),
  end_index: described('Where the chunk ends in the text.', natural),
  token_count: described("Tokens of the chunk, counted by the request's tokenizer.", natural),
};

const lineOrPage = { type: ['integer', 'null'], minimum: 1 };
const uuid = { type: 'string', format: 'uuid' };
const uuidOrNull = { type: ['string', 'null'], format: 'uuid' };

const includedProperties = {
  id: described('Stays the same as long as the document and the content do.', uuid),
  document_id: { type: ['string', 'null'] },
  index: described('Index among the chunks of its document.', natural),
  hash: described('SHA-256 of the text to embed, in hex.', text),
  metadata: { type: ['object', 'null'], description: 'The metadata of the document.' },
  first_line: lineOrPage,
  last_line: lineOrPage,
  first_page: lineOrPage,
  last_page: lineOrPage,
  places: {
    type: ['array', 'null'],
    items: { title: 'SourcePosition', type: 'object', properties: placeProperties },
    description: 'Where the chunk comes from, each place once; null if its document has no places.',
  },
  left_out: {
    type: 'array',
    items: { title: 'LeftOutPosition', type: 'object', properties: leftOutProperties },
    description: 'Texts that the reader left out within the chunk, or between it and the next one.',
  },
  previous_id: uuidOrNull,
  next_id: uuidOrNull,
};

/** A chunk in the request or the answer of a refinery. It may have further fields of the caller. */
export const givenChunk = { title: 'GivenChunk', ...object(chunkProperties) };

export const chunk = {
  ...givenChunk,
  title: 'Chunk',
  properties: { ...chunkProperties, ...includedProperties },
};

export function oneOrMany(items: object): object {
  return { anyOf: [listOf(items), listOf(listOf(items))] };
}

export function chunkOf(manifest: Manifest): object {
  const { kind, fields } = manifest;
  const base = kind === 'refinery' ? givenChunk : chunk;
  if (fields === undefined) return base;
  const added = { type: 'object', properties: fields };
  return { title: `${componentName(manifest)}Chunk`, allOf: [base, added] };
}

export const pipelineChunk = {
  title: 'PipelineChunk',
  allOf: [
    chunk,
    object({
      id: described('Derived from steps, text and position: a second run gives the same id.', uuid),
      context: {
        type: ['string', 'null'],
        description: 'Overlap with the neighbours; null if there is none.',
      },
      embedding: {
        type: ['array', 'null'],
        items: number,
        description: 'Null if no step computed one.',
      },
    }),
  ],
};

export const embeddings = {
  title: 'Embeddings',
  ...object({
    model: described("The model's own name, even if the request used an alias.", text),
    dimensions: described('Length of a vector.', natural),
    embeddings: described(
      'The vectors in the order of the texts: lists of numbers, or base64.',
      listOf({ anyOf: [listOf(number), text] }),
    ),
  }),
};

const tokenList = {
  title: 'Tokens',
  ...object(
    {
      count: described('How many tokens the text has.', natural),
      offsets: {
        type: 'array',
        items: { ...listOf(count), minItems: 2, maxItems: 2 },
        description:
          'Start and end of each token. A token that ends within a character is extended to its end, and the remaining tokens of that character are empty.',
      },
      ids: described('The id of each token, without the special tokens of a model.', listOf(count)),
      tokens: described('The text of each token, by its offsets; joined, they are the text.', listOf(text)),
    },
    ['offsets', 'ids', 'tokens'],
  ),
};

export const tokenizedTexts = {
  title: 'TokenizedTexts',
  ...object({
    tokenizer: described('The tokenizer that counted.', text),
    results: described('One for each text, in their order.', listOf(tokenList)),
  }),
};
