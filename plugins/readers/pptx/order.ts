import type { SourcePosition } from '../../../core/kit.ts';

type Box = NonNullable<SourcePosition['box']>;

/** What belongs together on a slide: a shape, or a group of shapes. */
export interface Unit<T> {
  readonly items: readonly T[];
  readonly box: Box | undefined;
}

interface Placed<T> {
  readonly items: T[];
  readonly box: Box;
}

/** The edges of a box along one axis. */
interface Axis {
  readonly start: 0 | 1;
  readonly end: 2 | 3;
}

const ACROSS: Axis = { start: 0, end: 2 };
const DOWN: Axis = { start: 1, end: 3 };

/** More units than a slide that people read has. They are only sorted, because the search takes quadratic time. */
const MAX_UNITS = 300;
const MAX_DEPTH = 12;
/** Boxes may overlap by this share of the slide, or by `MAX_SHARE` of their own size, and still be apart. */
const MAX_OVERLAP = 0.012;
const MAX_SHARE = 0.25;
/** Units whose tops differ by less than this share of the slide are in one line. */
const LINE = 0.02;
/** A smaller gap, as a share of the slide, parts the columns of a grid rather than columns of text. */
const WIDE_GAP = 0.05;
const MIN_GRID_ROWS = 3;
/** Heights of rows in a grid differ by at most this factor. */
const SAME_HEIGHT = 1.3;
/** A unit that covers this share of the others is their background. */
const BACKGROUND = 0.5;

/**
 * The items in the order in which people read a slide: from top to bottom, but column by column if there are columns of
 * text. A unit without a box follows the unit before it.
 *
 * @param isRightToLeft whether the first column is the rightmost one
 */
export function inReadingOrder<T>(units: readonly Unit<T>[], isRightToLeft: boolean): T[] {
  const first: T[] = [];
  const placed: Placed<T>[] = [];
  for (const { items, box } of units) {
    if (box !== undefined) placed.push({ items: [...items], box: isRightToLeft ? mirrored(box) : box });
    else (placed.at(-1)?.items ?? first).push(...items);
  }
  const ordered = placed.length > MAX_UNITS ? byLines(placed) : order(placed, 0);
  return [...first, ...ordered.flatMap(({ items }) => items)];
}

export function boxAround(boxes: readonly (Box | undefined)[]): Box | undefined {
  const known = boxes.filter((box) => box !== undefined);
  const [first, ...others] = known;
  return first && others.reduce(around, first);
}

const around = (one: Box, other: Box): Box => [
  Math.min(one[0], other[0]),
  Math.min(one[1], other[1]),
  Math.max(one[2], other[2]),
  Math.max(one[3], other[3]),
];

const mirrored = ([left, top, right, bottom]: Box): Box => [1 - right, top, 1 - left, bottom];

function order<T>(units: readonly Placed<T>[], depth: number): Placed<T>[] {
  if (units.length < 2) return [...units];
  if (depth > MAX_DEPTH) return byLines(units);
  return sectionsOf(cut(units, DOWN)).flatMap((section) => orderSection(section, depth));
}

/** A section has one row, or rows that have columns in common. */
function orderSection<T>(rows: readonly (readonly Placed<T>[])[], depth: number): Placed<T>[] {
  const columns = cut(rows.flat(), ACROSS);
  const parts = columns.length > 1 && (rows.length === 1 || !isGrid(rows, columns)) ? columns : rows;
  return parts.length > 1
    ? parts.flatMap((part) => order(part, depth + 1))
    : orderOverlapping(rows.flat(), depth);
}

function orderOverlapping<T>(units: readonly Placed<T>[], depth: number): Placed<T>[] {
  const behind = backgroundOf(units);
  if (behind === undefined) return byLines(units);
  return [
    behind,
    ...order(
      units.filter((unit) => unit !== behind),
      depth + 1,
    ),
  ];
}

/** Joins adjacent rows as long as they have columns in common. */
function sectionsOf<T>(rows: readonly Placed<T>[][]): Placed<T>[][][] {
  const sections: Placed<T>[][][] = [];
  for (const row of rows) {
    const last = sections.at(-1);
    if (last !== undefined && cut([...last.flat(), ...row], ACROSS).length > 1) last.push(row);
    else sections.push([row]);
  }
  return sections;
}

/** Whether rows are read one after the other, as those of a table are, although they have columns. */
function isGrid<T>(
  rows: readonly (readonly Placed<T>[])[],
  columns: readonly (readonly Placed<T>[])[],
): boolean {
  const gap = gapBetween(columns, ACROSS);
  if (gap < gapBetween(rows, DOWN)) return true;
  const heights = rows.map((row) => Math.max(...row.map(({ box }) => box[3] - box[1])));
  const isEven = Math.max(...heights) <= SAME_HEIGHT * Math.min(...heights);
  const isFull = rows.every((row) => row.length === columns.length);
  return rows.length >= MIN_GRID_ROWS && isEven && isFull && gap < WIDE_GAP;
}

function gapBetween<T>(parts: readonly (readonly Placed<T>[])[], { start, end }: Axis): number {
  const gaps = parts.slice(1).map((part, index) => {
    const before = Math.max(...(parts[index] ?? []).map(({ box }) => box[end]));
    return Math.min(...part.map(({ box }) => box[start])) - before;
  });
  return Math.min(...gaps);
}

/** Cuts units into parts wherever a gap goes through all of them. */
function cut<T>(units: readonly Placed<T>[], { start, end }: Axis): Placed<T>[][] {
  const sorted = units.toSorted((one, other) => one.box[start] - other.box[start]);
  const parts: Placed<T>[][] = [];
  let from = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const unit of sorted) {
    const { box } = unit;
    const smaller = Math.min(box[end] - box[start], until - from);
    const overlap = Math.min(MAX_OVERLAP, MAX_SHARE * smaller);
    if (parts.length === 0 || box[start] >= until - overlap) {
      parts.push([]);
      from = box[start];
    }
    parts.at(-1)?.push(unit);
    until = Math.max(until, box[end]);
  }
  return parts;
}

/** The unit that is the background of most of the others. */
function backgroundOf<T>(units: readonly Placed<T>[]): Placed<T> | undefined {
  const largest = units.reduce((one, other) => (areaOf(other.box) > areaOf(one.box) ? other : one));
  const [left, top, right, bottom] = largest.box;
  const within = units.filter(({ box }) => {
    const [x, y] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
    return x >= left && x <= right && y >= top && y <= bottom;
  });
  return units.length > 2 && within.length - 1 >= (units.length - 1) * BACKGROUND ? largest : undefined;
}

const areaOf = ([left, top, right, bottom]: Box): number => (right - left) * (bottom - top);

function byLines<T>(units: readonly Placed<T>[]): Placed<T>[] {
  const sorted = units.toSorted((one, other) => one.box[1] - other.box[1]);
  const lines: Placed<T>[][] = [];
  for (const unit of sorted) {
    const line = lines.at(-1);
    if (line !== undefined && unit.box[1] - (line[0] as Placed<T>).box[1] < LINE) line.push(unit);
    else lines.push([unit]);
  }
  return lines.flatMap((line) => line.sort((one, other) => one.box[0] - other.box[0]));
}
