import type { Manifest } from '../../../core/contracts.ts';

export default {
  kind: 'tokenizer',
  name: 'character',
  summary: 'Counts Unicode code points: one token per character.',
  models: ['character'],
} as const satisfies Manifest;
