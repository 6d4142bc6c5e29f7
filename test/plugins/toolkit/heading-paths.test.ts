import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { type Heading, headingPaths } from '../../../plugins/toolkit/heading-paths.ts';

/** Headings of three characters, and stretches of ten behind some of them. */
const headings = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.boolean()), { maxLength: 12 })
  .map((list) => {
    let at = 0;
    return list.map(([level, hasText], index): Heading => {
      const start = at;
      at += hasText ? 13 : 3;
      const isLead = !hasText && (list[index + 1]?.[0] ?? 0) > level;
      return { start, level, isLead, name: () => `${level}@${start}` };
    });
  });

/** The headings that hold at an offset, found by going back. */
function plainPath(all: readonly Heading[], offset: number): string[] {
  const path: string[] = [];
  let level = 7;
  for (const heading of all.filter(({ start }) => start <= offset).toReversed()) {
    if (heading.level >= level) continue;
    level = heading.level;
    path.unshift(heading.name());
  }
  return path;
}

t.test('all of a stretch stands under its path', async () => {
  fc.assert(
    fc.property(
      headings,
      fc.nat(150),
      fc.boolean(),
      fc.integer({ min: 1, max: 60 }),
      (all, at, isHeaded, length) => {
        // Most chunks begin with a heading.
        const start = isHeaded ? (all[at % Math.max(all.length, 1)]?.start ?? at) : at;
        const end = start + length;
        const skipped = (offset: number) =>
          all.some((one, index) => {
            const next = all[index + 1]?.start ?? Number.POSITIVE_INFINITY;
            return one.isLead && one.start <= offset && offset < next && one.start >= start && next < end;
          });
        const paths = Array.from({ length }, (_, at) => start + at)
          .filter((offset) => !skipped(offset))
          .map((offset) => plainPath(all, offset));
        const common = paths.reduce((a, b) => a.slice(0, a.findIndex((name, at) => name !== b[at]) >>> 0));
        assert.deepEqual(headingPaths(all).within(start, end), common);
      },
    ),
  );
});

t.test('the path above an offset has no heading that begins there', async () => {
  fc.assert(
    fc.property(headings, fc.nat(150), (all, offset) => {
      const own = all.find(({ start }) => start === offset);
      const path = plainPath(all, offset);
      assert.deepEqual(headingPaths(all).above(offset), own === undefined ? path : path.slice(0, -1));
    }),
  );
});

t.test('a heading holds no further than its reach', async (t) => {
  const heading = (start: number, level: number, reach?: number): Heading => ({
    start,
    level,
    isLead: false,
    reach,
    name: () => `h${level}`,
  });
  const paths = headingPaths([heading(0, 1), heading(10, 2, 30), heading(40, 3)]);
  t.same(paths.within(12, 30), ['h1', 'h2']);
  t.same(paths.within(12, 31), ['h1']);
  t.same(paths.within(45, 50), ['h1', 'h3']);
  t.same(paths.above(35), ['h1']);
});
