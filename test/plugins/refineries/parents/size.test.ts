import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { Chunk } from '../../../../core/contracts/chunk.ts';
import type { RefineContext } from '../../../../core/contracts/refinery.ts';
import type { Tokenizer } from '../../../../core/contracts/tokenizer.ts';
import createParents from '../../../../plugins/refineries/parents/index.ts';
import type { ParentsOptions } from '../../../../plugins/refineries/parents/manifest.ts';
import { joinChunks, LENGTHS } from '../../../../server/service/chunk-parts.ts';
import { anyText } from '../../../../server/testing/cases/texts.ts';
import { isHere } from '../../../support/here.ts';
import { composeQuietly } from '../../../support/service.ts';

/** Parents by their definition: whole chunks, never over the size, as long as it allows, in linear time. */

const { openers } = await composeQuietly();
const character = await openers.tokenizer('character');
/** One whose count of a text differs from the sum of its parts. */
const other = isHere('tokenizer/tiktoken') ? await openers.tokenizer('cl100k_base') : character;

const { refine } = createParents();
const countOf = (tokenizer: Tokenizer, text: string) => tokenizer.tokenize(text).count(0, text.length);
const join: RefineContext['join'] = (chunks, fields = {}) => joinChunks(chunks, fields, [LENGTHS.utf16]);
const BY_SIZE = { by: 'size', level: 1 } as const;

function parentsOf(chunks: readonly Chunk[], options: ParentsOptions, tokenizer: Tokenizer) {
  const refuse = () => assert.fail('not asked for');
  const { signal } = new AbortController();
  const context = { tokenizer, document: {}, join, surround: refuse, part: refuse, report() {}, signal };
  return refine(chunks, options, context) as Chunk[];
}

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

for (const tokenizer of new Set([character, other])) {
  t.test(`${tokenizer.name}: parents are within the size, and one more chunk would not be`, async () => {
    fc.assert(
      fc.property(overlapping, fc.integer({ min: 1, max: 60 }), (chunks, parent_size) => {
        const refined = parentsOf(chunks, { ...BY_SIZE, parent_size }, tokenizer);
        const ids = refined.map(({ parent_id }) => parent_id);
        const starts = refined.flatMap((_, at) => (ids[at] === ids[at - 1] ? [] : [at]));
        for (const [index, start] of starts.entries()) {
          const end = starts[index + 1] ?? chunks.length;
          const run = chunks.slice(start, end);
          const { text, start_index, end_index } = join(run);
          const parents = refined.slice(start, end);
          assert.deepEqual(
            parents.map(({ parent_id: _, ...fields }) => fields),
            run.map((chunk, at) => ({
              ...chunk,
              parent_start_index: start_index,
              parent_end_index: end_index,
              ...(at === 0 && { parent_text: text }),
            })),
          );
          if (run.length > 1) assert.ok(countOf(tokenizer, text) <= parent_size);
          if (end === chunks.length || tokenizer !== character) continue;
          const longer = join(chunks.slice(start, end + 1)).text;
          assert.ok(countOf(tokenizer, longer) > parent_size, 'one more chunk would fit');
        }
      }),
    );
  });
}

const SHAPES: Readonly<Record<string, (index: number) => string>> = {
  'the same': () => 'word ',
  'letters that join to longer tokens': () => 'a',
  'no text': () => '',
  'some far over the size': (index) => (index % 50 === 49 ? 'long '.repeat(400) : 'x'),
};

for (const tokenizer of new Set([character, other])) {
  t.test(`${tokenizer.name}: every unit is read a bounded number of times`, async (t) => {
    for (const [shape, make] of Object.entries(SHAPES)) {
      let end_index = 0;
      const chunks = Array.from({ length: 5000 }, (_, index) => {
        const text = make(index);
        const start_index = end_index;
        end_index += text.length;
        return { text, start_index, end_index, token_count: 1e9 };
      });
      for (const parent_size of [1, 100, 1e9]) {
        let units = 0;
        const watched: Tokenizer = {
          name: 'watched',
          tokenize(text) {
            units += text.length + 1;
            return tokenizer.tokenize(text);
          },
        };
        parentsOf(chunks, { ...BY_SIZE, parent_size }, watched);
        const times = units / (end_index + chunks.length);
        t.ok(times < 10, `${shape}, ${parent_size}: read ${times.toFixed(1)} times`);
      }
    }
  });
}
