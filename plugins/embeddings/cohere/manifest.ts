import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'embedding',
  name: 'cohere',
  summary: 'Hosted models of Cohere, or of any server with the same protocol.',
  needs: { env: ['COHERE_API_KEY'] },
  urls: ['COHERE_BASE_URL'],
  uses: ['tokenizer/tiktoken'],
  models: ['embed-*', 'cohere/*'],
  light: true,
} as const satisfies Manifest;
