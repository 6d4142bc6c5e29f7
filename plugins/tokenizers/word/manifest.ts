import type { Manifest } from '../../../core/contracts/manifest.ts';

export default {
  kind: 'tokenizer',
  name: 'word',
  summary: 'Counts words: what stands between spaces.',
  models: ['word'],
} as const satisfies Manifest;
