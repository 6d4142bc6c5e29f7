import type { FromSchema } from 'json-schema-to-ts';
import type { Manifest } from '../../../core/kit.ts';

const options = {
  type: 'object',
  properties: {
    context_size: {
      anyOf: [
        { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
        { type: 'integer', minimum: 1 },
      ],
      default: 0.25,
      description:
        'How much context a neighbour gives. Below 1: a fraction of its tokens (rounded, at least one); from 1 up: a number of tokens.',
    },
    mode: {
      enum: ['token', 'recursive'],
      default: 'token',
      description:
        'Whether to cut context at exactly that many tokens, or at the largest boundary within them: paragraph, line, sentence, word.',
    },
    method: {
      enum: ['suffix', 'prefix', 'justified'],
      default: 'suffix',
      description:
        'Where context comes from: the start of the next chunk (suffix), the end of the previous one (prefix), or both (justified).',
    },
    merge: {
      type: 'boolean',
      default: true,
      description: 'Whether to merge context into text and recount token_count. It is in context either way.',
    },
  },
} as const;

export type OverlapOptions = FromSchema<typeof options>;

export default {
  kind: 'refinery',
  name: 'overlap',
  summary: 'Adds context from the neighbouring chunks.',
  options,
  fields: {
    context: {
      type: ['string', 'null'],
      description:
        "The chunk's existing context, followed by the context from its neighbours; null if there is neither.",
    },
  },
  example: {
    chunks: [
      { text: 'The quick brown fox ', start_index: 0, end_index: 20, token_count: 20 },
      { text: 'jumps over the lazy ', start_index: 20, end_index: 40, token_count: 20 },
      { text: 'dog and sleeps.', start_index: 40, end_index: 55, token_count: 15 },
    ],
    context_size: 10,
    mode: 'recursive',
    method: 'justified',
  },
  uses: ['tokenizer'],
  light: true,
} as const satisfies Manifest;
