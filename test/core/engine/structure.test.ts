import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { Span } from '../../../core/contracts/chunk.ts';
import { tokenWindows } from '../../../core/engine/packing/packing.ts';
import type { OutlineLimits } from '../../../core/engine/structure/pack-outline.ts';
import { packOutline } from '../../../core/engine/structure/pack-outline.ts';

/** One token for each character; `x` has three. */
function tokensOf(text: string) {
  const sizes = Array.from(text, (letter) => (letter === 'x' ? 3 : 1));
  const ends = Uint32Array.from(sizes.flatMap((size, at) => new Array<number>(size).fill(at + 1)));
  const count = (start: number, end: number) => sizes.slice(start, end).reduce((sum, size) => sum + size, 0);
  return { count, ends: () => ends };
}

interface Case {
  readonly text: string;
  /** Offsets of inner edges with their ranks. */
  readonly inner: readonly (readonly [offset: number, rank: number])[];
  readonly limits: OutlineLimits;
}

const cases: fc.Arbitrary<Case> = fc
  .record({
    text: fc.string({ unit: fc.constantFrom('a', 'b', 'x'), minLength: 1, maxLength: 120 }),
    gaps: fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 6 }))),
    limits: fc.record({
      size: fc.integer({ min: 3, max: 30 }),
      minimum: fc.integer({ min: 0, max: 12 }),
      always: fc.integer({ min: 0, max: 3 }),
    }),
  })
  .map(({ text, gaps, limits }) => {
    let at = 0;
    const inner = gaps.map(([gap, rank]) => {
      at += gap;
      return [at, rank] as const;
    });
    return { text, inner: inner.filter(([offset]) => offset < text.length), limits };
  });

function pack({ text, inner, limits }: Case, divided: Span[] = []) {
  const tokens = tokensOf(text);
  const outline = {
    edges: [0, ...inner.map(([offset]) => offset), text.length],
    ranks: [0, ...inner.map(([, rank]) => rank), 0],
  };
  const divide = (start: number, end: number) => {
    divided.push({ start, end });
    const ends = tokens.ends().filter((at) => at > start && at <= end);
    const own = Uint32Array.from(ends, (at) => at - start);
    return tokenWindows(own, limits.size).map((span) => ({
      start: span.start + start,
      end: span.end + start,
    }));
  };
  return packOutline(outline, tokens, limits, divide);
}

function holds(title: string, check: (one: Case, spans: readonly Span[], divided: readonly Span[]) => void) {
  t.test(title, async () => {
    fc.assert(
      fc.property(cases, (one) => {
        const divided: Span[] = [];
        const spans = pack(one, divided);
        check(one, spans, divided);
      }),
      { numRuns: 400 },
    );
  });
}

holds('the chunks are the text, within the limit, and counted exactly', ({ text, limits }, spans) => {
  let at = 0;
  for (const { start, end, token_count } of spans) {
    assert.equal(start, at);
    assert.equal(token_count, tokensOf(text).count(start, end));
    assert.ok((token_count as number) <= limits.size);
    at = end;
  }
  assert.equal(at, text.length);
});

holds('only a piece that alone is too large is cut within', ({ text, inner, limits }, spans, divided) => {
  const edges = new Set([0, text.length, ...inner.map(([offset]) => offset)]);
  for (const { start, end } of divided) assert.ok(tokensOf(text).count(start, end) > limits.size);
  for (const { end } of spans) {
    const isWithin = divided.some((piece) => piece.start < end && end < piece.end);
    assert.ok(edges.has(end) || isWithin, `a cut at ${end}`);
  }
});

holds(
  'no two neighbours that are short fit into one, unless they are always parted',
  ({ inner, limits }, spans) => {
    const minimum = Math.min(limits.minimum, Math.floor(limits.size / 2));
    spans.forEach(({ token_count = 0 }, index) => {
      const next = spans[index + 1]?.token_count;
      if (next === undefined || token_count >= minimum || next >= minimum) return;
      if (inner.some(([offset, rank]) => offset === spans[index]?.end && rank <= limits.always)) return;
      assert.ok(token_count + next > limits.size);
    });
  },
);

t.test('what is too large is cut at its best edges first', async (t) => {
  const text = 'aaaa bbbb cccc dddd '.replaceAll(' ', '.');
  const limits = { size: 12, minimum: 0, always: 0 };
  const inner = [5, 10, 15].map((offset) => [offset, offset === 10 ? 1 : 2] as const);
  const ends = (more: object) => pack({ text, inner, limits: { ...limits, ...more } }).map(({ end }) => end);
  t.same(ends({}), [10, 20]);
  t.same(ends({ size: 20 }), [20]);
  t.same(ends({ size: 20, always: 1 }), [10, 20], 'a chunk begins at edges that always part');
});

t.test('a run of pieces that join to far fewer tokens is filled without counting all again', async (t) => {
  let counted = 0;
  const length = 4000;
  const tokens = {
    ends: () => new Uint32Array(),
    count(start: number, end: number) {
      counted += end - start;
      // Each alone is a token, sixteen together are one as well.
      return end - start === 1 ? 1 : Math.ceil((end - start) / 16);
    },
  };
  const edges = Array.from({ length: length + 1 }, (_, at) => at);
  const ranks = edges.map((edge) => (edge % length === 0 ? 0 : 1));
  packOutline({ edges, ranks }, tokens, { size: 64, minimum: 0, always: 0 }, () => []);
  t.ok(counted < 20 * length, `${counted} characters counted of ${length}`);
});
