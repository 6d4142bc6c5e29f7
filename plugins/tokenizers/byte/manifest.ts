import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'tokenizer',
  name: 'byte',
  summary: 'Counts the bytes of the text in UTF-8.',
  models: ['byte'],
  light: true,
} as const satisfies Manifest;
