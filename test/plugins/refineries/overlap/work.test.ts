import t from 'tap';
import { chunksOf, cl100k, TOKENIZERS, watch } from '../refining.ts';
import { refine } from './support/refine.ts';

const UNITS = [
  ...['the quick brown fox jumps ', 'This is one. And another! 这是一句。', ' bureaucracy', '\n\n', '   \n'],
  ...[' ', 'abcdefg', '👩‍👩‍👧🦙', '.', '。', '\ud83d '],
];

for (const tokenizer of TOKENIZERS) {
  t.test(`${tokenizer.name}: every unit is read a bounded number of times`, async (t) => {
    for (const unit of UNITS) {
      for (const [chunkCount = 0, length = 0] of [
        [4, 200],
        [1000, 40],
        [3, 10_000],
      ]) {
        const text = unit.repeat(Math.ceil(length / unit.length));
        const chunks = chunksOf(Array(chunkCount).fill(text));
        for (const context_size of [3, 0.5]) {
          const { watched, seen } = watch(tokenizer);
          await refine(chunks, { context_size, mode: 'recursive', method: 'justified' }, watched);
          const whole = (text.length + 1) * chunkCount;
          const times = `read ${seen.read / whole} times, opened ${seen.opened / whole} times`;
          const isBounded = seen.read <= 8 * whole && seen.opened <= 4 * whole;
          t.ok(isBounded, `${JSON.stringify(unit)}, ${chunkCount}, ${context_size}: ${times}`);
        }
      }
    }
  });
}

t.test('little context from a huge neighbour takes one pass over it', async (t) => {
  const huge = 'Some words and a sentence. '.repeat(10_000);
  for (const mode of ['token', 'recursive'] as const) {
    const { watched, seen } = watch(cl100k);
    const options = { context_size: 4, mode, merge: false, method: 'justified' } as const;
    await refine(chunksOf(['x', huge, 'y']), options, watched);
    t.ok(seen.read < huge.length + 500, `${mode}: ${seen.read} of ${huge.length}`);
  }
});
