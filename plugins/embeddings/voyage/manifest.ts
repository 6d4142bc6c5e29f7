import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'embedding',
  name: 'voyage',
  summary: 'Hosted models of Voyage, or of any server with the same protocol.',
  needs: { env: ['VOYAGE_API_KEY'] },
  urls: ['VOYAGE_BASE_URL'],
  uses: ['tokenizer/tiktoken'],
  models: ['voyage-*', 'voyage/*'],
  light: true,
} as const satisfies Manifest;
