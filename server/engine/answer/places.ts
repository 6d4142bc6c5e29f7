import type { Span } from '../../../core/contracts/chunk.ts';
import type { LeftOutText, SourcePlace, SourcePosition } from '../../../core/contracts/reader.ts';
import { countUpTo } from '../../../core/engine/search.ts';
import { cellRange, columnNumber } from '../../../plugins/toolkit/places.ts';
import { type Column, constantColumn, jsonColumn, numberColumn } from './chunk-writer.ts';

interface Touched {
  readonly first: number;
  readonly end: number;
}

/** Maximum places of a chunk. If a chunk has more, places that differ only in their extent are joined. */
const MAX_PLACES = 32;

/** The places of each chunk, with adjacent places joined; null if the document has no places. */
export function placeColumns(places: readonly SourcePlace[] = [], spans: readonly Span[]): Column[] {
  if (places.length === 0) return [constantColumn('places')];
  const lists = touchedBy(places, spans).map(({ first, end }) => joined(places, first, end));
  const json = lists.map((list) => Buffer.from(JSON.stringify(list.map(positionOf))));
  return [jsonColumn('places', json)];
}

/** What was left out within each chunk, or between it and the next one. The first chunk also has what stood before it. */
export function leftOutColumns(leftOut: readonly LeftOutText[] = [], spans: readonly Span[]): Column[] {
  const begins = Float64Array.from(spans, ({ start }) => start).sort();
  const lists: SourcePosition[][] = spans.map(() => []);
  const order = spans.map((_, index) => index).sort((a, b) => startOf(spans, a) - startOf(spans, b));
  for (const { start, end: _end, ...position } of leftOut) {
    const index = order[Math.max(countUpTo(begins, start) - 1, 0)];
    if (index !== undefined) lists[index]?.push(position);
  }
  return [
    jsonColumn(
      'left_out',
      lists.map((list) => Buffer.from(JSON.stringify(list))),
    ),
  ];
}

const startOf = (spans: readonly Span[], index: number): number => spans[index]?.start ?? 0;

/** The first and last page of each chunk. A chunk without a page has that of the nearest place before it, or null. */
export function pageColumns(places: readonly SourcePlace[] = [], spans: readonly Span[]): Column[] {
  const paged = places.filter(({ start, end, page }) => page !== undefined && start < end);
  if (paged.length === 0) return [constantColumn('first_page'), constantColumn('last_page')];
  const pages = touchedBy(paged, spans.map(notEmpty)).map(({ first, end }) => {
    const own = paged.slice(first < end ? first : Math.max(first - 1, 0), Math.max(first, end));
    return own.map(({ page }) => page as number);
  });
  const pick = (choose: (a: number, b: number) => number) =>
    pages.map((own) => (own.length === 0 ? null : own.reduce((a, b) => choose(a, b))));
  return [numberColumn('first_page', pick(Math.min)), numberColumn('last_page', pick(Math.max))];
}

/** Extends a chunk that a refinery left empty by one character: it is on the page of this character. */
function notEmpty({ start, end }: Span): Span {
  return { start, end: Math.max(end, start + 1) };
}

function touchedBy(places: readonly SourcePlace[], spans: readonly Span[]): Touched[] {
  const starts = new Float64Array(places.length);
  const ends = new Float64Array(places.length);
  for (let index = 0; index < places.length; index++) {
    const { start, end } = places[index] as SourcePlace;
    starts[index] = start;
    ends[index] = end;
  }
  return spans.map(({ start, end }) => ({ first: countUpTo(ends, start), end: countUpTo(starts, end - 1) }));
}

interface Joined {
  readonly place: SourcePlace;
  box: Box | undefined;
  start_time: number | undefined;
  end_time: number | undefined;
  cells: Box | undefined;
  line: number;
}

function joined(places: readonly SourcePlace[], first: number, end: number): Joined[] {
  const found: Joined[] = [];
  for (let index = first; index < end; index++) {
    const place = places[index] as SourcePlace;
    if (place.start === place.end) continue;
    const last = found.at(-1);
    if (last !== undefined && areOne(last, place)) extend(last, reachOf(place));
    else found.push(reachOf(place));
  }
  return found.length <= MAX_PLACES ? found : byKind(found);
}

function reachOf(place: SourcePlace): Joined {
  const { box, start_time, end_time, cells } = place;
  const range = cells === undefined ? undefined : cellBounds(cells);
  return { place, box, start_time, end_time, cells: range, line: box === undefined ? 0 : box[3] - box[1] };
}

function extend(joined: Joined, { box, start_time, end_time, cells, line }: Joined): void {
  if (box !== undefined) joined.box = around(joined.box as Box, box);
  if (start_time !== undefined) joined.start_time = Math.min(joined.start_time as number, start_time);
  if (end_time !== undefined) joined.end_time = Math.max(joined.end_time as number, end_time);
  if (cells !== undefined) joined.cells = around(joined.cells as Box, cells);
  joined.line = line;
}

function positionOf({ place, box, start_time, end_time, cells }: Joined): SourcePosition {
  const { start: _start, end: _end, ...position } = place;
  return {
    ...position,
    ...(box !== undefined && { box }),
    ...(start_time !== undefined && { start_time }),
    ...(end_time !== undefined && { end_time }),
    ...(cells !== undefined && { cells: cellRange(...cells) }),
  };
}

/** Members that define the extent of a place, in the text or in the source. */
const EXTENTS: ReadonlySet<string> = new Set(['start', 'end', 'box', 'start_time', 'end_time', 'cells']);

/** Whether the next place can be joined: it is adjacent, and its other members are the same. */
function areOne({ place, box, cells, line }: Joined, next: SourcePlace): boolean {
  if (!areOfOneKind(place, next)) return false;
  if (box !== undefined && !follows(box, next.box as Box, line)) return false;
  return cells === undefined || adjoin(cells, cellBounds(next.cells as string));
}

function areOfOneKind(one: SourcePlace, other: SourcePlace): boolean {
  for (const name in one) if (EXTENTS.has(name) ? !(name in other) : one[name] !== other[name]) return false;
  for (const name in other) if (!(name in one)) return false;
  return true;
}

function byKind(places: readonly Joined[]): Joined[] {
  const kinds = new Map<string, Joined>();
  for (const one of places) {
    const members = Object.entries(one.place).map(([name, value]) => [
      name,
      EXTENTS.has(name) ? null : value,
    ]);
    const kind = JSON.stringify(members.sort());
    const seen = kinds.get(kind);
    if (seen === undefined) kinds.set(kind, one);
    else extend(seen, one);
  }
  return [...kinds.values()];
}

type Box = readonly [number, number, number, number];

function around(one: Box, other: Box): Box {
  return [
    Math.min(one[0], other[0]),
    Math.min(one[1], other[1]),
    Math.max(one[2], other[2]),
    Math.max(one[3], other[3]),
  ];
}

/** Maximum distance between lines of a paragraph, and between words of a line, in line heights. */
const LEADING = 2.2;
const GAP = 4;
/** Minimum overlap of two lines of one column, as a share of the narrower line. */
const SHARE = 0.3;

/** Whether `next` is on the last line of a box, or below it in its column. @param height of the last line */
function follows([left, top, right, bottom]: Box, next: Box, height: number): boolean {
  const line = Math.min(height, next[3] - next[1]);
  const isOnLine = Math.min(bottom, next[3]) - Math.max(top, next[1]) > line / 2;
  if (isOnLine) return Math.max(left, next[0]) - Math.min(right, next[2]) < GAP * line;
  const across = Math.min(right, next[2]) - Math.max(left, next[0]);
  const isInColumn = across > SHARE * Math.min(right - left, next[2] - next[0]);
  return isInColumn && next[1] > top - line / 2 && next[1] - bottom < LEADING * line;
}

function adjoin(one: Box, other: Box): boolean {
  const areColumnsEqual = one[0] === other[0] && one[2] === other[2];
  const areRowsEqual = one[1] === other[1] && one[3] === other[3];
  if (areColumnsEqual) return other[1] <= one[3] + 1 && one[1] <= other[3] + 1;
  return areRowsEqual && other[0] <= one[2] + 1 && one[0] <= other[2] + 1;
}

/** The columns and rows of a range of cells, from 1. */
export function cellBounds(range: string): [left: number, top: number, right: number, bottom: number] {
  const corners = Array.from(range.matchAll(/([A-Z]+)(\d+)/g), ([, letters = '', row]) => ({
    column: columnNumber(letters),
    row: Number(row),
  }));
  const columns = corners.map(({ column }) => column);
  const rows = corners.map(({ row }) => row);
  return [Math.min(...columns), Math.min(...rows), Math.max(...columns), Math.max(...rows)];
}
