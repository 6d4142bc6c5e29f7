import { CL100K, GPT2, O200K, type Pattern } from './scan/patterns.ts';

/** What an encoding's tokens follow from. Encodings that differ only in special tokens share the ranks of one. */
export interface EncodingSource {
  readonly pattern: Pattern;
  /** The encoding in the tiktoken package that has the ranks. */
  readonly ranks: string;
}

/** The encodings by name. */
export const ENCODINGS: ReadonlyMap<string, EncodingSource> = new Map([
  ['gpt2', { pattern: GPT2, ranks: 'gpt2' }],
  ['r50k_base', { pattern: GPT2, ranks: 'r50k_base' }],
  ['p50k_base', { pattern: GPT2, ranks: 'p50k_base' }],
  ['p50k_edit', { pattern: GPT2, ranks: 'p50k_base' }],
  ['cl100k_base', { pattern: CL100K, ranks: 'cl100k_base' }],
  ['o200k_base', { pattern: O200K, ranks: 'o200k_base' }],
  ['o200k_harmony', { pattern: O200K, ranks: 'o200k_base' }],
]);
