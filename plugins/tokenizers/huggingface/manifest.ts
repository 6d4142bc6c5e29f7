import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'tokenizer',
  name: 'huggingface',
  summary: 'Counts with any tokenizer.json of the BPE, WordPiece and Unigram families.',
  needs: { packages: ['@huggingface/tokenizers'] },
  models: ['*'],
} as const satisfies Manifest;
