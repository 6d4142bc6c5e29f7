import type { Tokenizer, TokenizerProvider } from 'chunksmith/kit';

const WORD = /\S+\s*|\s+/g;

const tokenizer: Tokenizer = {
  name: 'my-plugin',
  tokenize: (text) => ({
    // Tokens of a stretch tokenized by itself, not the tokens of the whole text that lie in it.
    count: (start, end) => text.slice(start, end).match(WORD)?.length ?? 0,
    // Where each token of the whole text ends; the last end is the length of the text.
    ends: () => Uint32Array.from(text.matchAll(WORD), ({ index, 0: word }) => index + word.length),
  }),
};

export default function createTokenizers(): TokenizerProvider {
  return {
    names: () => ['my-plugin'],
    // An unknown name is not an error here: another plugin may know it.
    open: async (name) => (name === 'my-plugin' ? tokenizer : undefined),
  };
}
