import type { FromSchema } from 'json-schema-to-ts';
import type { Manifest } from '../../../core/kit.ts';

const options = {
  type: 'object',
  properties: {
    embedding_model: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      default: 'vendor/potion-retrieval-32M',
      description: 'A built-in model, an installed local one, or one of a hosted provider.',
    },
    embed: {
      enum: ['text', 'context+text'],
      default: 'text',
      description:
        'What to embed: the text alone, or its context, a line feed and the text. For a chunk without context it is always the text.',
    },
  },
} as const;

export type EmbeddingsOptions = FromSchema<typeof options>;

export default {
  kind: 'refinery',
  name: 'embeddings',
  summary: "Adds the vector of each chunk's text, optionally preceded by its context.",
  options,
  fields: {
    embedding: { type: 'array', items: { type: 'number' }, description: 'The vector of the embedded text.' },
  },
  example: {
    chunks: [
      { text: 'The quick brown fox ', start_index: 0, end_index: 20, token_count: 20 },
      { text: 'jumps over the lazy dog.', start_index: 20, end_index: 44, token_count: 24 },
    ],
  },
  uses: ['embedding'],
  light: true,
} as const satisfies Manifest;
