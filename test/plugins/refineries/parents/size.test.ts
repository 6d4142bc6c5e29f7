import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { Chunk } from '../../../../core/contracts/chunk.ts';
import type { Tokenizer } from '../../../../core/contracts/tokenizer.ts';
import createParents from '../../../../plugins/refineries/parents/index.ts';
import { anyText } from '../../../../server/testing/cases/texts.ts';
import { character, chunksOf, countOf, join, TOKENIZERS, TOOLS, watch } from '../refining.ts';

/** Parents by their definition: whole chunks, never over the size, as long as it allows, in linear time. */

const { refine } = createParents();
const parentsOf = (chunks: readonly Chunk[], parent_size: number, tokenizer: Tokenizer) =>
  refine(chunks, { by: 'size', level: 1, parent_size }, { ...TOOLS, tokenizer }) as Chunk[];

/** Chunks of a text, each of which repeats a little of the one before. */
const overlapping = fc
  .tuple(anyText, fc.integer({ min: 1, max: 30 }), fc.nat(8))
  .map(([text, size, overlap]) => {
    const chunks: Chunk[] = [];
    for (let at = 0; at < text.length; at += size) {
      const start_index = Math.max(at - overlap, 0);
      const end_index = Math.min(at + size, text.length);
      chunks.push({ text: text.slice(start_index, end_index), start_index, end_index, token_count: 0 });
    }
    return chunks;
  });

const SHAPES: Readonly<Record<string, (index: number) => string>> = {
  'the same': () => 'word ',
  'letters that join to longer tokens': () => 'a',
  'no text': () => '',
  'some far over the size': (index) => (index % 50 === 49 ? 'long '.repeat(400) : 'x'),
};

for (const tokenizer of TOKENIZERS) {
  t.test(`${tokenizer.name}: parents are within the size, and one more chunk would not be`, async () => {
    fc.assert(
      fc.property(overlapping, fc.integer({ min: 1, max: 60 }), (chunks, parent_size) => {
        const refined = parentsOf(chunks, parent_size, tokenizer);
        const ids = refined.map(({ parent_id }) => parent_id);
        const starts = refined.flatMap((_, at) => (ids[at] === ids[at - 1] ? [] : [at]));
        for (const [index, start] of starts.entries()) {
          const end = starts[index + 1] ?? chunks.length;
          const run = chunks.slice(start, end);
          const { text, start_index, end_index } = join(run);
          const places = { parent_start_index: start_index, parent_end_index: end_index };
          const found = refined.slice(start, end).map(({ parent_id: _, ...fields }) => fields);
          const expected = run.map((chunk) => ({ ...chunk, ...places }));
          assert.deepEqual(found, [{ ...expected[0], parent_text: text }, ...expected.slice(1)]);
          if (run.length > 1) assert.ok(countOf(tokenizer, text) <= parent_size);
          if (end === chunks.length || tokenizer !== character) continue;
          const longer = join(chunks.slice(start, end + 1)).text;
          assert.ok(countOf(tokenizer, longer) > parent_size, 'one more chunk would fit');
        }
      }),
      { numRuns: tokenizer === character ? 100 : 40 },
    );
  });

  t.test(`${tokenizer.name}: every unit is read a bounded number of times`, async (t) => {
    for (const [shape, make] of Object.entries(SHAPES)) {
      const chunks = chunksOf(Array.from({ length: 2000 }, (_, index) => make(index)));
      for (const parent_size of [1, 100, 1e9]) {
        const { watched, seen } = watch(tokenizer);
        parentsOf(chunks, parent_size, watched);
        const whole = (chunks.at(-1)?.end_index ?? 0) + chunks.length;
        t.ok(seen.opened < 10 * whole, `${shape}, ${parent_size}: opened ${seen.opened} of ${whole}`);
      }
    }
  });
}
