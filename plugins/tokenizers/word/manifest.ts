import type { Manifest } from '../../../core/contracts/manifest.ts';

export default {
  kind: 'tokenizer',
  name: 'word',
  summary: 'Counts words, separated by spaces.',
  models: ['word'],
  light: true,
} as const satisfies Manifest;
