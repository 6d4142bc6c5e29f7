import { type Static, Type } from 'typebox';
import type { Manifest } from '../../../core/contracts.ts';
import { chunkOverlap, chunkSize } from '../../../core/options.ts';

const options = Type.Object({ chunk_size: chunkSize(), chunk_overlap: chunkOverlap() });

export type TokenOptions = Static<typeof options>;

export default {
  kind: 'chunker',
  name: 'token',
  summary: 'Splits text into windows of a fixed number of tokens.',
  options,
  example: { text: 'The quick brown fox jumps over the lazy dog.', chunk_size: 20, chunk_overlap: 5 },
  uses: ['tokenizer'],
  guarantees: { lossless: true, bounded: true },
} satisfies Manifest;
