import type { Manifest } from '../../../core/kit.ts';

const words = (list: string): string[] => list.trim().split(/\s+/);

const ENCODINGS = 'gpt2 r50k_base p50k_base p50k_edit cl100k_base o200k_base o200k_harmony';

const MODELS = `
  gpt-4 gpt-4o gpt-5 text-embedding-3-small text-embedding-3-large text-embedding-ada-002
  gpt-3.5-turbo gpt-35-turbo gpt-4.1 o1 o3 o4-mini
  gpt-3.5-turbo-* gpt-35-turbo-* gpt-4-* gpt-4o-* gpt-4.1-* gpt-4.5-* gpt-5-* gpt-oss-* chatgpt-4o-* o1-* o3-* o4-mini-*
  ft:gpt-3.5-turbo* ft:gpt-4* ft:davinci-002* ft:babbage-002*
`;

const OLDER_MODELS = `
  davinci davinci-002 davinci-codex curie babbage babbage-002 ada cushman-codex
  text-davinci-* text-curie-001 text-babbage-001 text-ada-001 text-similarity-* text-search-*
  code-davinci-* code-cushman-* code-search-*
`;

export default {
  kind: 'tokenizer',
  name: 'tiktoken',
  summary: "Counts the tokens of OpenAI's encodings exactly, in linear time on any text.",
  needs: {
    packages: ['tiktoken'],
    packageFiles: { tiktoken: ['encoders/*.json', 'model_to_encoding.json'] },
  },
  models: [...words(ENCODINGS), ...words(MODELS), ...words(OLDER_MODELS)],
} as const satisfies Manifest;
