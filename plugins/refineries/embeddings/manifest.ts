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
        'What is embedded: the text, or its context and a line feed before it. A chunk without context is embedded as its text.',
    },
  },
} as const;

export type EmbeddingsOptions = FromSchema<typeof options>;

export default {
  kind: 'refinery',
  name: 'embeddings',
  summary: "Adds the vector of each chunk's text, with its context before it if asked for.",
  options,
  fields: {
    embedding: { type: 'array', items: { type: 'number' }, description: 'The vector of what was embedded.' },
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
