import type { FromSchema } from 'json-schema-to-ts';
import type { Manifest } from '../../../core/kit.ts';
import { chunkSize, minimumChunk } from '../../../core/options.ts';

const options = {
  type: 'object',
  properties: {
    chunk_size: chunkSize,
    min_chunk_size: minimumChunk,
    tolerant: {
      type: 'boolean',
      default: false,
      description:
        'Whether to chunk invalid JSON along its brackets, strings and commas instead of refusing it.',
    },
    oversize: {
      enum: ['split', 'keep'],
      default: 'split',
      description:
        'How to treat a single value above chunk_size: split it (a string between words, never within an escape), or keep it whole.',
    },
  },
} as const;

export type JsonOptions = FromSchema<typeof options>;

export default {
  kind: 'chunker',
  name: 'json',
  summary: 'Splits JSON between members and elements, and JSON Lines between records.',
  options,
  fields: {
    pointer: {
      type: ['string', 'null'],
      description:
        'JSON Pointer (RFC 6901) of the smallest value that contains the chunk, within its record; null if the chunk spans several records, or if the pointer is longer than 256 characters or 64 levels.',
    },
    elements: {
      type: 'array',
      items: { type: 'integer' },
      minItems: 2,
      maxItems: 2,
      description:
        'The first and the last element in the chunk, counted from 1, if pointer is that of an array.',
    },
    records: {
      type: 'array',
      items: { type: 'integer' },
      minItems: 2,
      maxItems: 2,
      description:
        'The first and the last record in the chunk, counted from 1, if the text is more than one JSON value.',
    },
  },
  example: { text: '{"name": "Ada", "tags": ["math", "engines"], "born": 1815}', chunk_size: 32 },
  uses: ['tokenizer'],
  guarantees: { lossless: true },
} as const satisfies Manifest;
