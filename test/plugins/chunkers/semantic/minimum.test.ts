import fc from 'fast-check';
import t from 'tap';
import { byLetter, lettersOf, modelOf, sentences, spansOf, textsOf } from './support/sentences.ts';

/** The minimum size of chunks, in all modes. */

const { model } = modelOf(byLetter);
const WINDOW = { similarity_window: 1 };

t.test('threshold: a short topic goes with its neighbour, and the better cut stays', async (t) => {
  const text = sentences('AAAAABBAAAAABBBBB');
  const cut = async (options: object) => lettersOf(await textsOf(model, text, { ...WINDOW, ...options }));
  t.same(await cut({}), ['AAAAA', 'BB', 'AAAAA', 'BBBBB'], 'by default there is no minimum');
  t.same(await cut({ min_characters_per_chunk: null }), await cut({}));
  const joined = await cut({ min_characters_per_chunk: 12 });
  t.equal(joined.length, 3);
  t.equal(joined.at(-1), 'BBBBB');
  t.same(await cut({ min_characters_per_chunk: 1000 }), [lettersOf([text]).join('')]);
});

t.test('the rest of a topic that is cut by size is not a crumb', async (t) => {
  const options = { ...WINDOW, chunk_size: 20, min_characters_per_chunk: 12 };
  const sizes = (await textsOf(model, sentences('AAAAAAAAAAA'), options)).map(({ length }) => length);
  t.same(sizes, [20, 12, 12]);
});

const letters = fc.string({ unit: fc.constantFrom('A', 'B'), minLength: 1, maxLength: 60 });
const options = fc.record({
  mode: fc.constantFrom('threshold', 'cluster'),
  threshold: fc.constantFrom('auto', 0.2, 0.5, 0.8),
  similarity_window: fc.integer({ min: 1, max: 4 }),
  min_characters_per_chunk: fc.integer({ min: 1, max: 60 }),
  chunk_size: fc.integer({ min: 8, max: 100 }),
});

t.test('in every mode a short chunk fits neither neighbour, and nothing is above chunk_size', async () => {
  await fc.assert(
    fc.asyncProperty(letters, options, async (given, asked) => {
      const text = sentences(given);
      const spans = await spansOf(model, text, asked);
      if (spans.map(({ start, end }) => text.slice(start, end)).join('') !== text) throw new Error('lost');
      const { chunk_size, min_characters_per_chunk: minimum } = asked;
      const sizes = spans.map(({ start, end }) => end - start);
      for (const [at, size] of sizes.entries()) {
        if (size > chunk_size) throw new Error(`${size} tokens`);
        if (size >= minimum) continue;
        const neighbours = [sizes[at - 1], sizes[at + 1]].filter((other) => other !== undefined);
        const fitting = neighbours.find((other) => other + size <= chunk_size);
        if (fitting !== undefined) throw new Error(`${size} fits with ${fitting}: ${sizes}`);
      }
    }),
    { numRuns: 500 },
  );
});

t.test('a higher threshold never gives fewer chunks, with a minimum too', async () => {
  const two = fc.tuple(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
  );
  await fc.assert(
    fc.asyncProperty(letters, two, fc.integer({ min: 1, max: 40 }), async (given, thresholds, minimum) => {
      const [low, high] = thresholds.toSorted((a, b) => a - b);
      const cut = async (threshold: number | undefined) =>
        (await textsOf(model, sentences(given), { ...WINDOW, threshold, min_characters_per_chunk: minimum }))
          .length;
      if ((await cut(low)) > (await cut(high))) throw new Error(`${low} gives more than ${high}`);
    }),
  );
});
