import type { FromSchema } from 'json-schema-to-ts';
import type { Manifest } from '../../../core/kit.ts';
import { chunkOverlap, chunkSize } from '../../../core/options.ts';

const options = {
  type: 'object',
  properties: { chunk_size: chunkSize, chunk_overlap: chunkOverlap },
} as const;

export type TokenOptions = FromSchema<typeof options>;

export default {
  kind: 'chunker',
  name: 'token',
  summary: 'Splits text into windows of a fixed number of tokens.',
  options,
  example: { text: 'The quick brown fox jumps over the lazy dog.', chunk_size: 20, chunk_overlap: 5 },
  uses: ['tokenizer'],
  guarantees: { lossless: true, bounded: true },
  light: true,
} as const satisfies Manifest;
