import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export const ENCODINGS = ['cl100k_base', 'gpt2', 'o200k_base'] as const;
export type Encoding = (typeof ENCODINGS)[number];

export type Count = (text: string) => number;

/**
 * What counts tokens, by name. A library is loaded when its counter is made, so that a fresh process holds
 * only one of them. All of them take special tokens in a text for plain text. Undefined if one lacks the encoding.
 */
export const COUNTERS: Readonly<Record<string, (encoding: Encoding) => Promise<Count | undefined>>> = {
  async chunksmith(encoding) {
    const { collaborators } = await import('../../../server/testing/collaborators.ts');
    const { default: createTiktoken } = await import('../../../plugins/tokenizers/tiktoken/index.ts');
    const tokenizer = await (await createTiktoken(collaborators())).open(encoding);
    if (tokenizer === undefined) throw new Error(`There is no tokenizer ${encoding}.`);
    return (text) => tokenizer.tokenize(text).count(0, text.length);
  },
  async 'tiktoken encode_ordinary'(encoding) {
    const { get_encoding } = await import('tiktoken');
    const tokenizer = get_encoding(encoding);
    return (text) => tokenizer.encode_ordinary(text).length;
  },
  async 'gpt-tokenizer countTokens'(encoding) {
    const { countTokens } = await import(`gpt-tokenizer/encoding/${encoding}`);
    const options = { disallowedSpecial: new Set() };
    return (text) => countTokens(text, options);
  },
  async 'ai-tokenizer encode'(encoding) {
    if (encoding === 'gpt2') return undefined;
    const { Tokenizer } = await import('ai-tokenizer');
    const tokenizer = new Tokenizer(await import(`ai-tokenizer/encoding/${encoding}`));
    return (text) => tokenizer.encode(text, [], []).length;
  },
  async 'js-tiktoken encode'(encoding) {
    const { Tiktoken } = await import('js-tiktoken/lite');
    const tokenizer = new Tiktoken(require(`js-tiktoken/ranks/${encoding}`));
    return (text) => tokenizer.encode(text, [], []).length;
  },
};
