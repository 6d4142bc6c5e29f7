import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'tokenizer',
  name: 'word',
  summary: 'Counts words, separated by spaces.',
  models: ['word'],
  light: true,
} as const satisfies Manifest;
