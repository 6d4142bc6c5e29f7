import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { Chunker } from '../../../core/contracts/chunker.ts';
import type { TokenizedText, Tokenizer } from '../../../core/contracts/tokenizer.ts';
import { chunkText } from '../../../core/engine/chunking.ts';
import { cutAtWhiteSpace } from '../../../core/engine/cuts/cuts.ts';
import { cutAtDelimiters } from '../../../core/engine/cuts/delimiters.ts';
import { divide } from '../../../core/engine/packing/hierarchy.ts';
import { packPieces, tokenWindows } from '../../../core/engine/packing/packing.ts';
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
      const all = new Set([0, ...cuts.filter((cut) => cut < text.length), text.length]);
      const boundaries = [...all].sort((a, b) => a - b);
      const tokens = wordTokens(text);
      const chunks = packPieces(boundaries, tokens, { size });
      assert.equal(chunks.map(({ start, end }) => text.slice(start, end)).join(''), text);
      for (const { start, end, token_count } of chunks) {
        const isSinglePiece = boundaries.indexOf(end) - boundaries.indexOf(start) === 1;
        const next = boundaries[boundaries.indexOf(end) + 1];
        assert.equal(token_count, tokens.count(start, end));
        assert.ok(isSinglePiece || (token_count as number) <= size, 'only a single piece may be over it');
        assert.ok(next === undefined || tokens.count(start, next) > size, 'the next piece does not fit');
      }
    }),
    // The guess of how far a chunk reaches was too low here.
    { numRuns: 600, examples: [[{ text: 'a.b  .', size: 2, cuts: [3, 4, 1] }]] },
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
    assert.equal(token_count, tokens.count(start, end));
    assert.ok((token_count as number) <= 20);
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

/** Windows as `start-end count`. */
const windowsOf = (ends: readonly number[], size: number, overlap?: number) =>
  tokenWindows(Uint32Array.from(ends), size, overlap).map(
    ({ start, end, token_count }) => `${start}-${end} ${token_count}`,
  );

t.test('windows move a boundary inside a code point back to its start', async (t) => {
  const ends = [1, 2, 4, 4, 4, 5];
  t.same(windowsOf(ends, 3), ['0-2 2', '2-4 3', '4-5 1']);
  t.same(windowsOf(ends, 2), ['0-2 2', '2-4 2', '4-5 1'], 'a code point of three tokens fills one of two');
  t.same(windowsOf([1, 2, 3, 4, 5], 3, 2), ['0-3 3', '1-4 3', '2-5 3']);
  t.same(windowsOf([], 3), []);
});

t.test('a token without text of its own at the start of a text makes no empty window', async (t) => {
  t.same(windowsOf([0, 2, 5], 1), ['0-2 1', '2-5 1']);
  t.same(windowsOf([0, 0, 2, 5], 3, 2), ['0-2 3', '2-5 1']);
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
    { numRuns: 200 },
  );
});

t.test('the ends of the tokens of a text are found once, however many parts are divided', async (t) => {
  for (const lines of [10, 100]) {
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
    const manifest = { kind: 'chunker', name: 'lines', summary: 'Lines.' } as const;
    const { signal } = new AbortController();
    const spans = await chunkText({ manifest, chunker }, text, {}, { tokenizer, report() {}, signal });
    t.equal(spans.length, lines * Math.ceil(length / 3));
    t.equal(found, 1);
  }
});
