import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { Chunk } from '../../../../core/contracts/chunk.ts';
import type { Tokenizer } from '../../../../core/contracts/tokenizer.ts';
import type { OverlapOptions } from '../../../../plugins/refineries/overlap/manifest.ts';
import { anyText } from '../../../../server/testing/cases/texts.ts';
import { character, chunksOf, countOf, TOKENIZERS } from '../refining.ts';
import { refine } from './support/refine.ts';

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
    fc.constant(1e300),
    fc.double({ min: 0, max: 1, minExcluded: true, maxExcluded: true, noNaN: true }),
  ),
  mode: fc.constantFrom('token', 'recursive'),
  method: fc.constantFrom('suffix', 'prefix', 'justified'),
  merge: fc.boolean(),
});

for (const tokenizer of TOKENIZERS) {
  t.test(`${tokenizer.name}: each chunk is widened by what its neighbours begin and end with`, async () => {
    const holds = fc.asyncProperty(anyChunks, anyOptions, async (chunks, options) => {
      const refined = await refine(chunks, options, tokenizer);
      for (const [index, given] of (chunks as readonly Chunk[]).entries()) {
        const prefix = expectedTail(chunks[index - 1]?.text, options, tokenizer);
        const suffix = expectedHead(chunks[index + 1]?.text, options, tokenizer);
        const known = typeof given.context === 'string' ? given.context : '';
        const context = [known, prefix + suffix].filter((one) => one !== '').join('\n') || null;
        const text = prefix + given.text + suffix;
        const merged = options.merge ? { text, token_count: countOf(tokenizer, text) } : {};
        assert.deepEqual(refined[index], { ...given, ...merged, context });
      }
    });
    await fc.assert(holds, { numRuns: tokenizer === character ? 100 : 40 });
  });
}

/** The context by its definition, from every place where it could be cut. */
function expectedHead(text: string | undefined, options: OverlapOptions, tokenizer: Tokenizer): string {
  if (text === undefined || options.method === 'prefix') return '';
  const size = sizeOf(text, options, tokenizer);
  const ends = [...tokenizer.tokenize(text).ends()];
  if (ends.length <= size) return text;
  const limit = ends[size - 1] as number;
  if (options.mode === 'token') return text.slice(0, limit);
  const heads = range(1, limit).filter((cut) => countOf(tokenizer, text.slice(0, cut)) <= size);
  const best = coarsest(heads.reverse(), (cut) => levelAt(text, cut, 'head'));
  const fits = (cut: number) => countOf(tokenizer, text.slice(0, cut)) <= size;
  return text.slice(0, best ?? betweenClusters(text, limit, range(1, limit).reverse(), fits));
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
  const tails = range(start, text.length - 1).filter((cut) => countOf(tokenizer, text.slice(cut)) <= size);
  const best = coarsest(tails, (cut) => levelAt(text, cut, 'tail'));
  const fits = (cut: number) => countOf(tokenizer, text.slice(cut)) <= size;
  return text.slice(best ?? betweenClusters(text, start, range(start, text.length - 1), fits));
}

/** Cuts that are tried, from the limit on. */
const MAX_TRIES = 16;

/** The first of the cuts that fits and parts no grapheme cluster; the limit itself if none is near. */
function betweenClusters(
  text: string,
  limit: number,
  cuts: readonly number[],
  fits: (cut: number) => boolean,
): number {
  const starts = new Set(Array.from(new Intl.Segmenter().segment(text), ({ index }) => index));
  // The end of the text is a boundary too: several tokens of one character all end there.
  if (limit === text.length || starts.has(limit)) return limit;
  const whole = cuts.filter((cut) => starts.has(cut) && cut > 0);
  return whole.slice(0, MAX_TRIES).find(fits) ?? limit;
}

function sizeOf(text: string, { context_size }: OverlapOptions, tokenizer: Tokenizer): number {
  if (context_size >= 1) return context_size;
  return Math.max(Math.round(context_size * countOf(tokenizer, text)), 1);
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
