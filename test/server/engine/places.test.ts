import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { type Chunk, OFFSET_UNITS, type OffsetUnit } from '../../../core/contracts/chunk.ts';
import type { SourcePlace, SourcePosition } from '../../../core/contracts/reader.ts';
import { splitsCodePoint } from '../../../core/engine/cuts/cuts.ts';
import { anyText } from '../../../server/testing/cases/texts.ts';
import { chunker, pluginsFolder } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { jsonOf, openService } from '../../support/service.ts';
import { lengthIn } from './documents.ts';

/** Where chunks come from in the source of their document. */

const number = (value: number) => ({ type: 'integer', minimum: 0, default: value });
const folder = await pluginsFolder(
  t,
  chunker('frames', 'return context.windows(options.size, options.overlap);', {
    options: { type: 'object', properties: { size: number(5), overlap: number(0) } },
  }),
  chunker('whole', 'return text === "" ? [] : [{ start: 0, end: text.length }];'),
);
const client = await openService(t, { pluginsDir: [folder], plugins: ['frames', 'whole', 'character'] });

interface Placed extends Chunk {
  id: string;
  places: SourcePosition[] | null;
  first_page: number | null;
  last_page: number | null;
}

async function chunksOf(name: string, document: object, request: object = {}): Promise<Placed[]> {
  const body = { documents: [document], include: ['id', 'pages', 'places'], ...request };
  const [chunks = []] = jsonOf<Placed[][]>(await client.post(`/v1/chunk/${name}`, body));
  return chunks;
}

const fraction = fc.integer({ min: 0, max: 20 }).map((step) => step / 20);
const pair = <T>(value: fc.Arbitrary<T>) =>
  fc.tuple(value, value).map(([a, b]): [T, T] => (a > b ? [b, a] : [a, b]));
const box = fc
  .tuple(pair(fraction), pair(fraction))
  .map(([[left, right], [top, bottom]]): SourcePosition => ({ box: [left, top, right, bottom] }));
const page = fc.integer({ min: 1, max: 4 }).map((page): SourcePosition => ({ page }));
const times = pair(fc.nat(9)).map(([start_time, end_time]): SourcePosition => ({ start_time, end_time }));
const COLUMNS = ['A', 'B', 'Z', 'AA', 'AB'];
const cells = fc
  .tuple(pair(fc.nat(COLUMNS.length - 1)), pair(fc.integer({ min: 1, max: 9 })))
  .map(([[left, right], [top, bottom]]): SourcePosition => {
    return { cells: `${COLUMNS[left]}${top}:${COLUMNS[right]}${bottom}` };
  });
const other = fc.constantFrom<SourcePosition>(
  { speaker: 'Ann' },
  { speaker: 'Bo' },
  { sheet: 'S' },
  { url: 'u' },
  {},
);
const position = fc
  .tuple(fc.oneof(box, times, cells, fc.constant<SourcePosition>({})), fc.oneof(page, fc.constant({})), other)
  .map((parts): SourcePosition => Object.assign({}, ...parts));

/** Places in a text: rising starts and ends, some empty, between characters. */
function placesIn(
  text: string,
  given: readonly (readonly [number, number, SourcePosition])[],
): SourcePlace[] {
  const edges = Array.from({ length: text.length + 1 }, (_, at) => at).filter(
    (at) => !splitsCodePoint(text, at),
  );
  const nearest = (share: number) => edges[Math.floor(share * (edges.length - 1))] as number;
  const starts = given.map(([start]) => nearest(start)).sort((a, b) => a - b);
  const ends = given.map(([, end]) => nearest(end)).sort((a, b) => a - b);
  return given.map(([, , where], index) => {
    const start = starts[index] as number;
    return { start, end: Math.max(start, ends[index] as number), ...where };
  });
}

// Not fc.double: nearly all of its numbers are near 0.
const share = fc.nat(1000).map((thousandths) => thousandths / 1000);
const given = fc.array(fc.tuple(share, share, position), { maxLength: 60 });

const EXTENTS = ['box', 'start_time', 'end_time', 'cells'];
const kindOf = (place: SourcePosition): string =>
  JSON.stringify(
    Object.entries(place)
      .filter(([name]) => name !== 'start' && name !== 'end')
      .map(([name, value]) => [name, EXTENTS.includes(name) ? null : value])
      .sort(),
  );

/** The lowest and highest numbers of a place: of its box, its times and its cells. */
function bounds({ box, start_time, end_time, cells }: SourcePosition): [low: number[], high: number[]] {
  const [left = 0, top = 0, right = 0, bottom = 0] = box ?? [];
  const corners = cells?.split(':').map((cell) => /([A-Z]+)(\d+)/.exec(cell) ?? []) ?? [];
  const columns = corners.map(([, column = '']) => COLUMNS.indexOf(column));
  const rows = corners.map(([, , row]) => Number(row));
  return [
    [left, top, start_time ?? 0, columns[0] ?? 0, rows[0] ?? 0],
    [right, bottom, end_time ?? 0, columns.at(-1) ?? 0, rows.at(-1) ?? 0],
  ];
}

function holds(large: SourcePosition, small: SourcePosition): boolean {
  const [[low, high], [smallLow, smallHigh]] = [bounds(large), bounds(small)];
  return (
    kindOf(large) === kindOf(small) &&
    low.every((value, at) => value <= (smallLow[at] as number)) &&
    high.every((value, at) => value >= (smallHigh[at] as number))
  );
}

function checkPlaces({ places, first_page, last_page }: Placed, touched: readonly SourcePlace[]): void {
  const found = places ?? [];
  for (const place of touched)
    assert.ok(
      found.some((one) => holds(one, place)),
      JSON.stringify(place),
    );
  for (const one of found) {
    const own = touched.filter((place) => holds(one, place)).map(bounds);
    const [low, high] = bounds(one);
    assert.ok(own.length > 0, `not touched: ${JSON.stringify(one)}`);
    // No place reaches further than what it is made of.
    assert.ok(low.every((value, at) => own.some(([least]) => least[at] === value)));
    assert.ok(high.every((value, at) => own.some(([, most]) => most[at] === value)));
  }
  assert.ok(found.length <= Math.max(32, new Set(touched.map(kindOf)).size));
  const pages = touched.flatMap(({ page }) => page ?? []);
  if (pages.length === 0) return;
  assert.deepEqual([first_page, last_page], [Math.min(...pages), Math.max(...pages)]);
}

t.test('the places of a chunk are all that it touches, whole, and nothing else, in each unit', async () => {
  const size = fc.integer({ min: 1, max: 12 });
  const unit = fc.constantFrom<OffsetUnit>(...OFFSET_UNITS);
  const property = fc.asyncProperty(anyText, given, size, unit, async (text, given, size, offset_unit) => {
    const utf16 = placesIn(text, given);
    const inUnit = (at: number) => lengthIn(offset_unit, text.slice(0, at));
    const places = utf16.map((place) => ({ ...place, start: inUnit(place.start), end: inUnit(place.end) }));
    const request = { size, overlap: size >> 1, offset_unit };
    const chunks = await chunksOf('frames', { text, places }, request);
    const plain = await chunksOf('frames', { text }, { ...request, offset_unit: 'utf16' });
    for (const [index, chunk] of chunks.entries()) {
      const { start_index, end_index, id } = plain[index] as Placed;
      const touched = utf16.filter(({ start, end }) => start < end && start < end_index && end > start_index);
      checkPlaces(chunk, touched);
      assert.equal(chunk.places === null, places.length === 0);
      assert.equal(plain[index]?.places, null);
      if (offset_unit === 'utf16') assert.equal(chunk.id, id, 'an id does not depend on places');
    }
  });
  await fc.assert(property, { numRuns: 200 });
});

const line = (top: number, left = 0.1, right = 0.9): SourcePosition => ({
  page: 1,
  box: [left, top, right, Math.round(top * 100 + 2) / 100],
});

t.test('neighbours that are one stretch of the source are one place', async (t) => {
  const cases: [name: string, places: SourcePosition[], expected: SourcePosition[]][] = [
    [
      'lines of a paragraph',
      [line(0.1), line(0.13), line(0.16, 0.1, 0.3)],
      [{ page: 1, box: [0.1, 0.1, 0.9, 0.18] }],
    ],
    [
      'words of a line',
      [line(0.1, 0.1, 0.2), line(0.1, 0.21, 0.3)],
      [{ page: 1, box: [0.1, 0.1, 0.3, 0.12] }],
    ],
    ['paragraphs', [line(0.1), line(0.2)], [line(0.1), line(0.2)]],
    ['columns', [line(0.8, 0.1, 0.45), line(0.1, 0.55, 0.9)], [line(0.8, 0.1, 0.45), line(0.1, 0.55, 0.9)]],
    ['pages', [{ page: 1 }, { page: 1 }, { page: 2 }], [{ page: 1 }, { page: 2 }]],
    [
      'cues of a speaker',
      [
        { start_time: 1, end_time: 2.5, speaker: 'Ann' },
        { start_time: 2, end_time: 4, speaker: 'Ann' },
        { start_time: 4, end_time: 5, speaker: 'Bo' },
      ],
      [
        { start_time: 1, end_time: 4, speaker: 'Ann' },
        { start_time: 4, end_time: 5, speaker: 'Bo' },
      ],
    ],
    [
      'rows',
      [
        { sheet: 'S', cells: 'A2:D2' },
        { sheet: 'S', cells: 'A3:D3' },
      ],
      [{ sheet: 'S', cells: 'A2:D3' }],
    ],
    ['cells of a row', [{ cells: 'Y1' }, { cells: 'Z1' }, { cells: 'AA1' }], [{ cells: 'Y1:AA1' }]],
    ['rows apart', [{ cells: 'A2' }, { cells: 'A4' }], [{ cells: 'A2' }, { cells: 'A4' }]],
    [
      'others',
      [{ url: 'a' }, { url: 'a' }, { url: null, sure: 0.5 }],
      [{ url: 'a' }, { url: null, sure: 0.5 }],
    ],
  ];
  for (const [name, positions, expected] of cases) {
    const places = positions.map((where, index) => ({ start: index, end: index + 1, ...where }));
    const [chunk] = await chunksOf('whole', { text: 'x'.repeat(places.length), places });
    t.same(chunk?.places, expected, name);
  }
});

t.test(
  'of many places those that differ only in their extent become one, and nothing is left out',
  async (t) => {
    const places = Array.from({ length: 100 }, (_, index) => {
      return {
        start: index,
        end: index + 1,
        page: 1 + (index % 2),
        box: [0.1, index / 100, 0.2, index / 100],
      };
    });
    const [chunk] = await chunksOf('whole', { text: 'x'.repeat(100), places });
    t.same(chunk?.places, [
      { page: 1, box: [0.1, 0, 0.2, 0.98] },
      { page: 2, box: [0.1, 0.01, 0.2, 0.99] },
    ]);
  },
);

t.test('pages are places, and places have pages', async (t) => {
  const pages = await chunksOf('frames', { text: 'abcdefghij', pages: [0, 4, 4, 8] });
  t.match(pages, [
    { first_page: 1, last_page: 3, places: [{ page: 1 }, { page: 3 }] },
    { first_page: 3, last_page: 4, places: [{ page: 3 }, { page: 4 }] },
  ]);
  const gap = [
    { start: 0, end: 2, page: 7 },
    { start: 3, end: 4 },
  ];
  const [first, second] = await chunksOf('frames', { text: 'abcdefghij', places: gap });
  t.match(
    [first, second],
    [
      { first_page: 7, last_page: 7 },
      { first_page: 7, last_page: 7, places: [] },
    ],
  );
});

t.test('places that cannot be are refused, by index and member', async (t) => {
  const strict = await openService(t, {
    pluginsDir: [folder],
    plugins: ['whole', 'character'],
  });
  const two = (second: object, first: object = { start: 0, end: 1 }) => [first, second];
  for (const [places, problem] of [
    [two({ start: 1 }), /^documents\[0\]\.places\[1\].*end/],
    [two({ start: 1, end: 0 }), /^documents\[0\]\.places\[1\]\.end: .* at least start, which is 1, got 0\.$/],
    [two({ start: 0, end: 1 }, { start: 1, end: 1 }), /places\[1\]\.start: expected at least 1, .* got 0/],
    [two({ start: 1, end: 1 }, { start: 0, end: 2 }), /places\[1\]\.end: expected at least 2, .* got 1/],
    [two({ start: 2, end: 9 }), /places\[1\]\.end: expected the offset of a character .* code_point, got 9/],
    [two({ start: 2, end: 2.5 }), /places\[1\]\.end: expected an integer/],
    [two({ start: 2, end: 2, page: 0 }), /places\[1\]\.page: expected an integer .* got 0/],
    [two({ start: 2, end: 2, box: [0, 0, 72, 1] }), /places\[1\]\.box\[2\]: expected a number .* got 72/],
    [two({ start: 2, end: 2, box: [0, 0, 1] }), /places\[1\]\.box: /],
    [
      two({ start: 2, end: 2, box: [0.5, 0, 0.1, 1] }),
      /places\[1\]\.box: expected left, top, right and bottom/,
    ],
    [two({ start: 2, end: 2, start_time: 3, end_time: 2 }), /places\[1\]\.end_time: .* which is 3, got 2/],
    [two({ start: 2, end: 2, cells: 'b2' }), /places\[1\]\.cells: expected a cell such as B2, .* got "b2"/],
    [two({ start: 2, end: 2, url: ['a'] }), /places\[1\]\.url: expected/],
    [
      Array(200_001).fill({ start: 1, end: 1 }),
      /^documents\[0\]\.places: 200001 places, over the limit of 200000; send fewer\.$/,
    ],
    ['all', /places: expected a list/],
  ] as const) {
    const answer = await strict.post('/v1/chunk/whole', { documents: [{ text: '😀b', places }] });
    checkProblem(t, answer, 400, problem);
  }
  const both = { text: 'a', pages: [0], places: [] };
  const answer = await client.post('/v1/chunk/whole', { documents: [both] });
  checkProblem(
    t,
    answer,
    400,
    /pages.* cannot be given together|places: cannot be given together with pages/,
  );
});
