import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'embedding',
  name: 'static',
  summary: 'Embeds with static word vectors in the Model2Vec layout; two English models are included.',
  uses: ['tokenizer/huggingface'],
  models: [
    'chunksmith/static-en-256',
    'vendor/potion-base-8M',
    'chunksmith/retrieval-en-512',
    'vendor/potion-retrieval-32M',
    '*',
  ],
  default: 'vendor/potion-retrieval-32M',
} as const satisfies Manifest;
