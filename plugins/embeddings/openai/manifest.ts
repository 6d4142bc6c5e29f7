import type { Manifest } from '../../../core/kit.ts';

export default {
  kind: 'embedding',
  name: 'openai',
  summary: 'Hosted models of OpenAI, or of any server with the same protocol.',
  needs: { env: ['OPENAI_API_KEY'] },
  urls: ['OPENAI_BASE_URL'],
  uses: ['tokenizer/tiktoken'],
  models: ['text-embedding-3-*', 'text-embedding-ada-002', 'openai/*'],
  light: true,
} as const satisfies Manifest;
