import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { TokenizedText } from '../../../core/contracts/tokenizer.ts';
import { cutAtWhiteSpace, withMinimumPiece } from '../../../core/engine/cuts.ts';
import { cutAtDelimiters, cutAtLineStarts } from '../../../core/engine/delimiters.ts';
import { divide } from '../../../core/engine/hierarchy.ts';
import { packPieces } from '../../../core/engine/packing.ts';
import { tokenWindows } from '../../../core/engine/windows.ts';
import { anyText } from '../../../server/testing/cases/texts.ts';

/** A token is a run of letters with the space before it, so that counts do not add up at every cut. */
function wordTokens(text: string): TokenizedText & { work: number } {
  const pattern = / ?[^\s]+|\s+/g;
  const counter = {
    work: 0,
    count(start: number, end: number) {
      counter.work += end - start;
      return text.slice(start, end).match(pattern)?.length ?? 0;
    },
    ends: () => Uint32Array.from(text.matchAll(pattern), (match) => match.index + match[0].length),
  };
  return counter;
}

const everyBoundary = (text: string) => Array.from({ length: text.length + 1 }, (_, at) => at);

t.test('packing keeps the limit, counts exactly and fills each chunk', async () => {
  const request = fc.record({
    text: fc.stringMatching(/^[ab .]{1,60}$/),
    size: fc.integer({ min: 1, max: 8 }),
    cuts: fc.array(fc.nat(60), { maxLength: 20 }),
  });
  fc.assert(
    fc.property(request, ({ text, size, cuts }) => {
      const boundaries = [...new Set([0, ...cuts.filter((cut) => cut < text.length), text.length])].sort(
        (a, b) => a - b,
      );
      const tokens = wordTokens(text);
      const chunks = packPieces(boundaries, tokens, { size });
      assert.equal(chunks.map(({ start, end }) => text.slice(start, end)).join(''), text);
      for (const { start, end, token_count } of chunks) {
        const isSinglePiece = boundaries.indexOf(end) - boundaries.indexOf(start) === 1;
        const next = boundaries[boundaries.indexOf(end) + 1];
        assert.equal(token_count, tokens.count(start, end));
        assert.ok(
          isSinglePiece || (token_count as number) <= size,
          'only a single piece may be over the limit',
        );
        const couldTakeNext = next !== undefined && tokens.count(start, next) <= size;
        assert.ok(!couldTakeNext, 'the next piece would not have fitted');
      }
    }),
    // The guess of how far a chunk reaches was too low here.
    { numRuns: 2000, examples: [[{ text: 'a.b  .', size: 2, cuts: [3, 4, 1] }]] },
  );
});

t.test('packing with overlap repeats whole pieces, never more than asked for, and goes on', async () => {
  const request = fc.record({
    text: fc.stringMatching(/^[ab .]{1,60}$/),
    size: fc.integer({ min: 2, max: 9 }),
    overlap: fc.integer({ min: 1, max: 8 }),
  });
  fc.assert(
    fc.property(request, ({ text, size, overlap }) => {
      const tokens = wordTokens(text);
      const chunks = packPieces(everyBoundary(text), tokens, { size, overlap: Math.min(overlap, size - 1) });
      assert.equal(chunks.at(-1)?.end, text.length);
      chunks.forEach((chunk, index) => {
        const before = chunks[index - 1];
        assert.ok((chunk.token_count as number) <= size);
        if (before === undefined) return;
        assert.ok(chunk.start > before.start && chunk.start <= before.end && chunk.end > before.end);
        if (chunk.start < before.end) assert.ok(tokens.count(chunk.start, before.end) <= overlap);
      });
    }),
    { numRuns: 300 },
  );
});

t.test('the last chunk gets its minimum of pieces from the one before it', async (t) => {
  const text = 'a b c d e ';
  const boundaries = [0, 2, 4, 6, 8, 10];
  const tokens: TokenizedText = { count: (start, end) => (end - start) / 2, ends: () => new Uint32Array() };
  const spans = (minPieces: number) =>
    packPieces(boundaries, tokens, { size: 4, minPieces }).map(({ start, end }) => text.slice(start, end));
  t.same(spans(1), ['a b c d ', 'e ']);
  t.same(spans(2), ['a b c ', 'd e ']);
  t.same(spans(3), ['a b c d ', 'e '], 'not where the one before would fall below it');
});

t.test('estimated sizes leave counts and the limit exact', async (t) => {
  const text = 'aa bbb. cc. dddddddd e. '.repeat(200);
  const boundaries = [0, ...cutAtDelimiters(['. '])(text, 0, text.length), text.length];
  const tokens = wordTokens(text);
  const chunks = packPieces(boundaries, tokens, { size: 20, approximate: true });
  t.equal(chunks.map(({ start, end }) => text.slice(start, end)).join(''), text);
  for (const { start, end, token_count } of chunks) {
    t.equal(token_count, tokens.count(start, end));
    t.ok((token_count as number) <= 20);
  }
});

t.test('packing counts each stretch a bounded number of times', async (t) => {
  const work = (length: number) => {
    const text = 'ab. '.repeat(length);
    const tokens = wordTokens(text);
    packPieces(cutAtDelimiters(['. '])(text, 0, text.length), tokens, { size: 500 });
    return tokens.work / text.length;
  };
  const [small, large] = [work(2_000), work(20_000)];
  t.ok(large < 10, `${large} looks at each unit`);
  t.ok(large < small * 1.2, 'no more of them for a longer text');
});

t.test('windows move a boundary inside a code point back to its start', async (t) => {
  const ends = Uint32Array.from([1, 2, 4, 4, 4, 5]);
  t.same(tokenWindows(ends, 3), [
    { start: 0, end: 2, token_count: 2 },
    { start: 2, end: 4, token_count: 3 },
    { start: 4, end: 5, token_count: 1 },
  ]);
  t.same(
    tokenWindows(ends, 2),
    [
      { start: 0, end: 2, token_count: 2 },
      { start: 2, end: 4, token_count: 2 },
      { start: 4, end: 5, token_count: 1 },
    ],
    'a code point of three tokens fills a window of two',
  );
  t.same(
    tokenWindows(Uint32Array.from([1, 2, 3, 4, 5]), 3, 2).map(({ start, end }) => [start, end]),
    [
      [0, 3],
      [1, 4],
      [2, 5],
    ],
  );
  t.same(tokenWindows(new Uint32Array(), 3), []);
});

t.test('delimiters are literal, the longest counts, and none cuts a surrogate pair', async (t) => {
  const cut = (text: string, delimiters: string[], side: 'prev' | 'next' = 'prev') => {
    const cuts = cutAtDelimiters(delimiters, side)(text, 0, text.length);
    return [0, ...cuts, text.length].slice(1).map((end, index) => text.slice([0, ...cuts][index], end));
  };
  t.same(cut('a.b*c', ['.', '*']), ['a.', 'b*', 'c']);
  t.same(cut('a。」b。c', ['。', '。」']), ['a。」', 'b。', 'c']);
  t.same(cut('a. b', ['. '], 'next'), ['a', '. b']);
  t.same(cut('. a', ['. '], 'next'), ['. a'], 'no empty piece at the start');
  t.same(cut('😀x', ['\ud83d']), ['😀x']);
  t.same(cut('\ud83dx', ['\ud83d']), ['\ud83d', 'x']);
  t.same(cut('aaa', ['']), ['aaa']);
  const starts = cutAtLineStarts(['# ']);
  t.same(starts('# a\n# b\r\n# c #', 0, 15), [4, 9]);
  t.same(cutAtWhiteSpace('a b\u3000\n c', 0, 7), [2, 6]);
});

t.test('short pieces go with the one behind, at the end with the one before', async (t) => {
  const find = withMinimumPiece(cutAtDelimiters(['.']), 3);
  t.same(find('a.bb.ccc.d.', 0, 11), [5, 9].slice(0, 1), 'the last two are too short to stand alone');
  t.same(find('😀😀.xyz', 0, 8), [5], 'characters are code points');
});

t.test('divide keeps the limit on any text, and joins short chunks where they fit', async () => {
  const finders = [cutAtDelimiters(['\n\n']), cutAtDelimiters(['. ', '\n']), cutAtWhiteSpace];
  fc.assert(
    fc.property(
      anyText,
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 30 }),
      (text, size, minCharacters) => {
        if (text === '') return;
        const points = (start: number, end: number) => Array.from(text.slice(start, end)).length;
        const ends = Uint32Array.from({ length: text.length }, (_, at) => at + 1);
        const tokens: TokenizedText = { count: points, ends: () => ends };
        const spans = divide(text, tokens, { start: 0, end: text.length }, finders, { size, minCharacters });
        assert.equal(spans.map(({ start, end }) => text.slice(start, end)).join(''), text);
        assert.ok(spans.every(({ start, end }) => points(start, end) <= size));
        spans.forEach((span, index) => {
          const next = spans[index + 1];
          const isShort = points(span.start, span.end) < minCharacters;
          if (isShort && next !== undefined)
            assert.ok(points(span.start, next.end) > size, 'short only where it had no room');
        });
      },
    ),
    { numRuns: 400 },
  );
});
