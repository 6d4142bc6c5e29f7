import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'tokenizer',
  name: 'character',
  summary: 'Counts Unicode code points: one token per character.',
  models: ['character'],
  default: 'character',
  light: true,
} as const satisfies Manifest;
