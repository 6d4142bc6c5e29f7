import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { Chunk } from '../../../../core/contracts/chunk.ts';
import type { Tokenizer } from '../../../../core/contracts/tokenizer.ts';
import type { OverlapOptions } from '../../../../plugins/refineries/overlap/manifest.ts';
import { anyText } from '../../../../server/testing/cases/texts.ts';
import { character, chunksOf, cl100k, contexts, counted, refine } from './support/refine.ts';

/** Chunks as they come (of any texts), and chunks that together are one text. */
const texts = fc.oneof(
  fc.array(anyText, { maxLength: 6 }),
  fc.tuple(anyText, fc.integer({ min: 1, max: 40 })).map(([text, size]) => {
    const pieces: string[] = [];
    for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
    return pieces;
  }),
);
const anyChunks = fc
  .tuple(texts, fc.dictionary(fc.constantFrom('id', 'tags', 'context', '__proto__'), fc.jsonValue()))
  .map(([texts, extra]) => chunksOf(texts).map((chunk, index) => ({ ...extra, ...chunk, index })));
const anyOptions: fc.Arbitrary<OverlapOptions> = fc.record({
  context_size: fc.oneof(
    fc.integer({ min: 1, max: 30 }),
    fc.double({ min: 0, max: 1, minExcluded: true, maxExcluded: true, noNaN: true }),
  ),
  mode: fc.constantFrom('token', 'recursive'),
  method: fc.constantFrom('suffix', 'prefix', 'justified'),
  merge: fc.boolean(),
});

for (const tokenizer of new Set([character, cl100k])) {
  t.test(`${tokenizer.name}: each chunk is widened by what its neighbours begin and end with`, async () => {
    await fc.assert(
      fc.asyncProperty(anyChunks, anyOptions, async (chunks, options) => {
        const before = structuredClone(chunks);
        const refined = await refine(chunks, options, tokenizer);
        const again = await refine(chunks, options, tokenizer);
        assert.deepEqual(chunks, before, 'not changed');
        assert.deepEqual(again, refined, 'the same again');
        assert.equal(refined.length, chunks.length);
        refined.forEach((chunk, index) => {
          const given = chunks[index] as Chunk;
          const { text, token_count, context } = chunk;
          assert.notEqual(chunk, given);
          assert.deepEqual(
            { ...chunk, text: 0, token_count: 0, context: 0 },
            { ...given, text: 0, token_count: 0, context: 0 },
          );
          const prefix = expectedTail(chunks[index - 1]?.text, options, tokenizer);
          const suffix = expectedHead(chunks[index + 1]?.text, options, tokenizer);
          const known = typeof given.context === 'string' ? [given.context] : [];
          assert.equal(context, [...known, prefix + suffix].filter((one) => one !== '').join('\n') || null);
          if (options.merge) {
            assert.equal(text, prefix + given.text + suffix);
            assert.equal(token_count, counted(tokenizer, text));
          } else assert.deepEqual([text, token_count], [given.text, given.token_count]);
        });
      }),
    );
  });
}

t.test('character: token mode gives exactly that many tokens', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyText, { minLength: 2, maxLength: 2 }),
      fc.integer({ min: 1, max: 50 }),
      async (texts, size) => {
        const [head] = await contexts(texts, { context_size: size });
        const [, tail] = await contexts(texts, { context_size: size, method: 'prefix' });
        const [previous, next] = texts.map((text) => [...text]) as [string[], string[]];
        assert.equal(head, next.slice(0, size).join('') || null);
        assert.equal(tail, previous.slice(-size).join('') || null);
      },
    ),
  );
});

/** The context by its definition, from every place where it could be cut. */
function expectedHead(text: string | undefined, options: OverlapOptions, tokenizer: Tokenizer): string {
  if (text === undefined || options.method === 'prefix') return '';
  const size = sizeOf(text, options, tokenizer);
  const ends = [...tokenizer.tokenize(text).ends()];
  if (ends.length <= size) return text;
  const limit = ends[size - 1] as number;
  if (options.mode === 'token') return text.slice(0, limit);
  const heads = range(1, limit).filter((cut) => counted(tokenizer, text.slice(0, cut)) <= size);
  const best = coarsest(heads.reverse(), (cut) => levelAt(text, cut, 'head'));
  return text.slice(0, best ?? limit);
}

function expectedTail(text: string | undefined, options: OverlapOptions, tokenizer: Tokenizer): string {
  if (text === undefined || options.method === 'suffix') return '';
  const size = sizeOf(text, options, tokenizer);
  const ends = [...tokenizer.tokenize(text).ends()];
  if (ends.length <= size) return text;
  const firstEnd = ends[ends.length - size] as number;
  const limit = ends.findLast((end) => end < firstEnd) ?? 0;
  const start = ends[ends.length - size - 1] === firstEnd ? limit : (ends[ends.length - size - 1] as number);
  if (options.mode === 'token') return text.slice(start);
  const tails = range(start, text.length - 1).filter((cut) => counted(tokenizer, text.slice(cut)) <= size);
  const best = coarsest(tails, (cut) => levelAt(text, cut, 'tail'));
  return text.slice(best ?? start);
}

function sizeOf(text: string, { context_size }: OverlapOptions, tokenizer: Tokenizer): number {
  if (context_size >= 1) return context_size;
  return Math.max(Math.round(context_size * counted(tokenizer, text)), 1);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(to - from + 1, 0) }, (_, index) => from + index);
}

function coarsest(cuts: readonly number[], levelOf: (cut: number) => number | undefined): number | undefined {
  const levels = cuts.map(levelOf);
  const found = [0, 1, 2, 3].map((level) => cuts[levels.indexOf(level)]);
  return found.find((cut) => cut !== undefined);
}

/** 0 to 3 where a head may end or a tail may begin between paragraphs, lines, sentences or words. */
function levelAt(text: string, cut: number, side: 'head' | 'tail'): number | undefined {
  const [before] = /\p{White_Space}*$/u.exec(text.slice(0, cut)) as RegExpExecArray;
  const [after] = /^\p{White_Space}*/u.exec(text.slice(cut)) as RegExpExecArray;
  const content = text.slice(0, cut - before.length);
  const rest = text.slice(cut + after.length);
  if ((side === 'head' ? content : rest) === '') return undefined;
  const gap = before + after;
  const breaks = [...gap.matchAll(/\r\n|\n|\r/g)];
  const last = breaks.at(-1);
  const lineStart = last === undefined ? gap.length : last.index + last[0].length;
  const places = side === 'head' ? [0, lineStart] : [lineStart];
  // A tail that cannot begin with its line's whole indentation begins behind it.
  const isPlace = places.includes(before.length) || (side === 'tail' && after === '');
  if (!isPlace) return undefined;
  if (breaks.length > 0) return breaks.length > 1 ? 0 : 1;
  const end = content.at(-1) ?? '';
  if (gap === '') return /[。！？｡।؟]/.test(end) ? 2 : undefined;
  return /[.!?。！？｡।؟]/.test(end) ? 2 : 3;
}
