import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'tokenizer',
  name: 'row',
  summary: 'Counts rows: what stands between line feeds.',
  models: ['row'],
  light: true,
} as const satisfies Manifest;
