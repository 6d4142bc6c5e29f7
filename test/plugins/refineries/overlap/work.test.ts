import t from 'tap';
import type { TokenizedText, Tokenizer } from '../../../../core/contracts/tokenizer.ts';
import { character, chunksOf, cl100k, refine } from './support/refine.ts';

/** Counts the units that a tokenizer is made to read. */
function watch(tokenizer: Tokenizer) {
  const seen = { units: 0, opened: 0 };
  const watched: Tokenizer = {
    name: tokenizer.name,
    tokenize(text): TokenizedText {
      const tokens = tokenizer.tokenize(text);
      seen.opened += text.length;
      return {
        count(start, end) {
          seen.units += end - start;
          return tokens.count(start, end);
        },
        ends() {
          seen.units += text.length;
          return tokens.ends();
        },
      };
    },
  };
  return { watched, seen };
}

const SHAPES: Readonly<Record<string, string>> = {
  words: 'the quick brown fox jumps ',
  sentences: 'This is one. And another! 这是一句。',
  'words that cost more tokens without their space': ' bureaucracy',
  'blank lines': '\n\n',
  'lines of spaces': '   \n',
  spaces: ' ',
  'one word': 'abcdefg',
  emoji: '👩‍👩‍👧🦙',
  dots: '.',
  'full-width ends': '。',
  'half pairs': '\ud83d ',
};

for (const tokenizer of new Set([character, cl100k])) {
  t.test(`${tokenizer.name}: every unit is read a bounded number of times`, async (t) => {
    for (const [shape, unit] of Object.entries(SHAPES)) {
      for (const [chunkCount, length] of [
        [4, 200],
        [2000, 40],
        [3, 40_000],
      ] as const) {
        const text = unit.repeat(Math.ceil(length / unit.length));
        const chunks = chunksOf(Array.from({ length: chunkCount }, () => text));
        for (const context_size of [3, 0.5]) {
          const { watched, seen } = watch(tokenizer);
          await refine(chunks, { context_size, mode: 'recursive', method: 'justified' }, watched);
          const perUnit = seen.units / (text.length * chunkCount);
          const opened = seen.opened / (text.length * chunkCount);
          const what = `${shape}, ${chunkCount} chunks of ${text.length}, ${context_size}`;
          t.ok(perUnit <= 8, `${what}: read ${perUnit.toFixed(2)} times`);
          t.ok(opened <= 4, `${what}: opened ${opened.toFixed(2)} times`);
        }
      }
    }
  });
}

t.test('little context from a huge neighbour takes one pass over it', async (t) => {
  const huge = 'Some words and a sentence. '.repeat(40_000);
  for (const mode of ['token', 'recursive'] as const) {
    const { watched, seen } = watch(cl100k);
    await refine(
      chunksOf(['x', huge, 'y']),
      { context_size: 4, mode, merge: false, method: 'justified' },
      watched,
    );
    t.ok(seen.units < huge.length + 500, `${mode}: ${seen.units} of ${huge.length}`);
  }
});

t.test('a hundred thousand chunks', async (t) => {
  const texts = Array.from({ length: 100_000 }, (_, index) => `Chunk number ${index}. It says little.`);
  const refined = await refine(chunksOf(texts), { context_size: 20, mode: 'recursive', method: 'justified' });
  t.equal(refined.length, texts.length);
  t.equal(refined[50_000]?.text, 'It says little.Chunk number 50000. It says little.Chunk number 50001. ');
});
