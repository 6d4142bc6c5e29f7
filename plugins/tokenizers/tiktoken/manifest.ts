import type { Manifest } from '../../../core/contracts/manifest.ts';

export default {
  kind: 'tokenizer',
  name: 'tiktoken',
  summary: "Counts the tokens of OpenAI's encodings exactly, in linear time on any text.",
  needs: { packages: ['tiktoken'] },
  models: ['gpt2', 'r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base'],
} as const satisfies Manifest;
