import t from 'tap';
import type { Chunker } from '../../../core/contracts/chunker.ts';
import type { Tokenizer } from '../../../core/contracts/tokenizer.ts';
import { chunkText } from '../../../core/engine/chunking.ts';

/** A tokenizer of characters that counts how often the ends of all tokens of a text are found. */
function countingTokenizer(): { readonly tokenizer: Tokenizer; readonly found: () => number } {
  let found = 0;
  const tokenizer: Tokenizer = {
    name: 'counting',
    tokenize: ({ length }) => ({
      count: (start, end) => end - start,
      ends() {
        found++;
        return Uint32Array.from({ length }, (_, index) => index + 1);
      },
    }),
  };
  return { tokenizer, found: () => found };
}

t.test(
  'the ends of the tokens of a text are found once, however many stretches of it are divided',
  async (t) => {
    for (const lines of [10, 100]) {
      const text = 'a line of some characters\n'.repeat(lines);
      const length = text.length / lines;
      const chunker: Chunker = {
        chunk(_, __, { divide, windows, tokens }) {
          const starts = Array.from({ length: lines }, (_, line) => line * length);
          tokens.ends();
          windows(length, 0);
          return starts.flatMap((start) => divide({ start, end: start + length }, [], { size: 3 }));
        },
      };
      const { tokenizer, found } = countingTokenizer();
      const manifest = { kind: 'chunker', name: 'lines', summary: 'Lines.' } as const;
      const { signal } = new AbortController();
      const spans = await chunkText({ manifest, chunker }, text, {}, { tokenizer, report() {}, signal });
      t.equal(spans.length, lines * Math.ceil(length / 3));
      t.equal(found(), 1);
    }
  },
);
