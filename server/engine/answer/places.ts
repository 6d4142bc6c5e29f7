import type { Span } from '../../../core/contracts/chunk.ts';
import type { SourcePlace, SourcePosition } from '../../../core/contracts/reader.ts';
import { countUpTo } from '../../../core/engine/search.ts';
import { type Column, constantColumn, jsonColumn, numberColumn } from './columns.ts';

/** The places that a chunk touches are `places.slice(first, end)`. */
interface Touched {
  readonly first: number;
  readonly end: number;
}

/** The most places of a chunk; of more, those that differ only in their extent become one. */
const MOST = 32;

/** The places of each chunk, neighbours that are one stretch of the source joined; null without places. */
export function placeColumns(places: readonly SourcePlace[] = [], spans: readonly Span[]): Column[] {
  if (places.length === 0) return [constantColumn('places')];
  const lists = touchedBy(places, spans).map((touched) => placesOf(places, touched));
  return [
    jsonColumn(
      'places',
      lists.map((list) => Buffer.from(JSON.stringify(list))),
    ),
  ];
}

/**
 * The lowest and highest page of the places of each chunk; of a chunk without, the page of the nearest place before
 * it; null if there is none.
 */
export function pageColumns(places: readonly SourcePlace[] = [], spans: readonly Span[]): Column[] {
  const paged = places.filter(({ page }) => page !== undefined);
  if (paged.length === 0) return [constantColumn('first_page'), constantColumn('last_page')];
  const pages = touchedBy(paged, spans.map(notEmpty)).map(({ first, end }) => {
    const own = paged.slice(first < end ? first : Math.max(first - 1, 0), Math.max(first, end));
    return own.map(({ page }) => page as number);
  });
  const pick = (choose: (a: number, b: number) => number) =>
    pages.map((own) => (own.length === 0 ? null : own.reduce((a, b) => choose(a, b))));
  return [numberColumn('first_page', pick(Math.min)), numberColumn('last_page', pick(Math.max))];
}

/** A chunk that a refinery left empty is on the page of the character after it. */
function notEmpty({ start, end }: Span): Span {
  return { start, end: Math.max(end, start + 1) };
}

/** Which places each stretch touches: neither starts nor ends of places decrease. */
function touchedBy(places: readonly SourcePlace[], spans: readonly Span[]): Touched[] {
  const starts = Float64Array.from(places, ({ start }) => start);
  const ends = Float64Array.from(places, ({ end }) => end);
  return spans.map(({ start, end }) => ({ first: countUpTo(ends, start), end: countUpTo(starts, end - 1) }));
}

function placesOf(places: readonly SourcePlace[], { first, end }: Touched): readonly SourcePosition[] {
  const found: SourcePosition[] = [];
  // The height of a line of the last place, whose box may have grown to many.
  let line = 0;
  for (let index = first; index < end; index++) {
    const { start: _start, end: _end, ...where } = places[index] as SourcePlace;
    const last = found.at(-1);
    if (last !== undefined && areOne(last, where, line)) found[found.length - 1] = united(last, where);
    else found.push(where);
    line = heightOf(where);
  }
  return found.length <= MOST ? found : byKind(found);
}

function heightOf({ box }: SourcePosition): number {
  return box === undefined ? 0 : box[3] - box[1];
}

/** Members that say how far a place reaches; all others say what it is a part of. */
const EXTENTS: ReadonlySet<string> = new Set(['box', 'start_time', 'end_time', 'cells']);

/** Whether two neighbours are one place: of one kind, and side by side. @param line the height of a line */
function areOne(last: SourcePosition, next: SourcePosition, line: number): boolean {
  if (!areOfOneKind(last, next)) return false;
  if (last.box !== undefined && !follows(last.box, next.box as Box, line)) return false;
  return last.cells === undefined || adjoin(rangeOf(last.cells), rangeOf(next.cells as string));
}

function areOfOneKind(one: SourcePosition, other: SourcePosition): boolean {
  const names = Object.keys(one);
  if (Object.keys(other).length !== names.length) return false;
  return names.every((name) => name in other && (EXTENTS.has(name) || one[name] === other[name]));
}

/** The places of each kind as one. */
function byKind(places: readonly SourcePosition[]): SourcePosition[] {
  const kinds = new Map<string, SourcePosition>();
  for (const place of places) {
    const members = Object.keys(place).sort();
    const kind = JSON.stringify(members.map((name) => [name, EXTENTS.has(name) ? null : place[name]]));
    const seen = kinds.get(kind);
    kinds.set(kind, seen === undefined ? place : united(seen, place));
  }
  return [...kinds.values()];
}

/** Two places of one kind as one that reaches as far as both. */
function united(one: SourcePosition, other: SourcePosition): SourcePosition {
  const { box, start_time, end_time, cells } = other;
  return {
    ...one,
    ...(box !== undefined && { box: around(one.box as Box, box) }),
    ...(start_time !== undefined && { start_time: Math.min(one.start_time as number, start_time) }),
    ...(end_time !== undefined && { end_time: Math.max(one.end_time as number, end_time) }),
    ...(cells !== undefined && {
      cells: rangeName(around(rangeOf(one.cells as string), rangeOf(cells))),
    }),
  };
}

/** Left, top, right and bottom. */
type Box = readonly [number, number, number, number];

function around(one: Box, other: Box): Box {
  return [
    Math.min(one[0], other[0]),
    Math.min(one[1], other[1]),
    Math.max(one[2], other[2]),
    Math.max(one[3], other[3]),
  ];
}

/** The largest distance between lines of a paragraph, and between words of a line, in heights of a line. */
const LEADING = 2.2;
const GAP = 4;
/** How much of the narrower of two lines has to be below the other, for them to be of one column. */
const SHARE = 0.3;

/** Whether a box is on the last line of another, or below it in its column. @param height of that line */
function follows([left, top, right, bottom]: Box, next: Box, height: number): boolean {
  const line = Math.min(height, next[3] - next[1]);
  const isOnLine = Math.min(bottom, next[3]) - Math.max(top, next[1]) > line / 2;
  if (isOnLine) return Math.max(left, next[0]) - Math.min(right, next[2]) < GAP * line;
  const across = Math.min(right, next[2]) - Math.max(left, next[0]);
  const isInColumn = across > SHARE * Math.min(right - left, next[2] - next[0]);
  return isInColumn && next[1] > top - line / 2 && next[1] - bottom < LEADING * line;
}

/** Whether two ranges of cells make a larger one, side by side or one below the other. */
function adjoin(one: Box, other: Box): boolean {
  const areColumnsEqual = one[0] === other[0] && one[2] === other[2];
  const areRowsEqual = one[1] === other[1] && one[3] === other[3];
  if (areColumnsEqual) return other[1] <= one[3] + 1 && one[1] <= other[3] + 1;
  return areRowsEqual && other[0] <= one[2] + 1 && one[0] <= other[2] + 1;
}

const CELL = /([A-Z]+)(\d+)/g;
const LETTERS = 26;
const BEFORE_A = 64;

/** The columns and rows of a range such as `B2:D9`, as a box, from 1. */
function rangeOf(cells: string): Box {
  const corners = [...cells.matchAll(CELL)].map(([, letters = '', row]): [number, number] => [
    [...letters].reduce((sum, letter) => sum * LETTERS + letter.charCodeAt(0) - BEFORE_A, 0),
    Number(row),
  ]);
  const [first, last = first] = corners as [[number, number], [number, number]?];
  return around([...first, ...first], [...last, ...last]);
}

function rangeName([left, top, right, bottom]: Box): string {
  const [from, to] = [cellName(left, top), cellName(right, bottom)];
  return from === to ? from : `${from}:${to}`;
}

function cellName(column: number, row: number): string {
  let letters = '';
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / LETTERS))
    letters = String.fromCharCode(BEFORE_A + 1 + ((rest - 1) % LETTERS)) + letters;
  return `${letters}${row}`;
}
