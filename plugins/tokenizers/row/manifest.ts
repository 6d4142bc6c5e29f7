import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'tokenizer',
  name: 'row',
  summary: 'Counts rows, separated by line feeds.',
  models: ['row'],
  light: true,
} as const satisfies Manifest;
