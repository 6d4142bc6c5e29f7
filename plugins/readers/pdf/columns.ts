import type { Run } from './page.ts';

/** Runs side by side, from left to right. */
export interface Row {
  readonly runs: Run[];
  x0: number;
  x1: number;
  y0: number;
  y1: number;
  base: number;
  size: number;
  /** Characters of the longest run, whose height, base line and size the row has. */
  length: number;
}

/** A stretch of a row without a gap that could be a gutter. */
interface Segment {
  readonly x0: number;
  x1: number;
  characters: number;
  readonly size: number;
  readonly isContinuation: boolean;
}

interface Side {
  lines: number;
  /** Segments that begin with a small letter, within a sentence. */
  continuations: number;
  segments: number;
  characters: number;
  width: number;
  x0: number;
  x1: number;
}

/** A gap between two columns, at the same place in several rows. */
interface Gutter {
  readonly first: number;
  readonly last: number;
  readonly x0: number;
  readonly x1: number;
  readonly left: Side;
  readonly right: Side;
}

/** Points. */
const MIN_GUTTER = 4;
/** Columns of text have lines on both sides, long segments, and fill this share of their width; tables do not. */
const MIN_LINES = 4;
const MIN_CHARACTERS = 14;
const FILLED = 0.5;
const MAX_GUTTERS = 12;
const MAX_DEPTH = 12;

export function rowWith(run: Run): Row {
  const { x0, x1, y0, y1, base, size } = run;
  return { runs: [run], x0, x1, y0, y1, base, size, length: run.text.length };
}

/** Adds a run to a row, which has the height and size of its longest run: one larger sign does not make a line larger. */
export function addToRow(row: Row, run: Run): void {
  row.runs.push(run);
  row.x0 = Math.min(row.x0, run.x0);
  row.x1 = Math.max(row.x1, run.x1);
  if (run.text.length <= row.length) return;
  row.length = run.text.length;
  row.y0 = run.y0;
  row.y1 = run.y1;
  row.base = run.base;
  row.size = run.size;
}

/** Sizes that differ by more are those of a drop cap, or of a mark such as that of a note. */
const MAX_RATIO = 1.7;
const MAX_MARK_LENGTH = 6;

/** Whether a run is on the line of a row. */
export function isBeside(run: Run, row: Row): boolean {
  const [small, large] = run.size < row.size ? [run, row] : [row, run];
  const distance = Math.abs(run.base - row.base);
  const shared = Math.min(run.y1, row.y1) - Math.max(run.y0, row.y0);
  if (shared < 0.4 * Math.min(run.y1 - run.y0, row.y1 - row.y0)) return false;
  if (large.size <= MAX_RATIO * small.size) return distance < 0.6 * large.size;
  const length = small === run ? run.text.length : row.length;
  return distance < 0.3 * small.size || length <= MAX_MARK_LENGTH;
}

/** Rows in reading order, by their geometry. Each list is a column, or the rows above or below columns. */
export function columnsOf(runs: readonly Run[], depth = 0): Row[][] {
  if (runs.length === 0) return [];
  const rows = rowsOf(runs);
  const gutter = depth < MAX_DEPTH && rows.length >= MIN_LINES ? tallestGutter(rows) : undefined;
  if (gutter === undefined) return [rows];
  const above: Run[] = [];
  const left: Run[] = [];
  const right: Run[] = [];
  const below: Run[] = [];
  const middle = (gutter.x0 + gutter.x1) / 2;
  for (const [index, row] of rows.entries())
    for (const run of row.runs) {
      const beside = (run.x0 + run.x1) / 2 < middle ? left : right;
      (index < gutter.first ? above : index > gutter.last ? below : beside).push(run);
    }
  return [above, left, right, below].flatMap((part) => columnsOf(part, depth + 1));
}

export function rowsOf(runs: readonly Run[]): Row[] {
  const rows: Row[] = [];
  for (const run of runs.toSorted((a, b) => a.base - b.base || a.x0 - b.x0)) {
    let at = rows.length - 1;
    const least = Math.max(at - 2, 0);
    while (at >= least && !isBeside(run, rows[at] as Row)) at--;
    if (at < least) rows.push(rowWith(run));
    else addToRow(rows[at] as Row, run);
  }
  for (const row of rows) row.runs.sort((a, b) => a.x0 - b.x0);
  return rows;
}

/** A beginning of a cell, an entry or a sentence: what a text column has only now and then. */
const WITHIN_NO_SENTENCE = /^\s*[^\p{Ll}\p{Lo}]/u;

function segmentsOf({ runs }: Row): Segment[] {
  const segments: Segment[] = [];
  for (const { x0, x1, size, text } of runs) {
    const last = segments.at(-1);
    if (last !== undefined && x0 - last.x1 < 0.9 * Math.max(size, last.size)) {
      last.x1 = Math.max(last.x1, x1);
      last.characters += text.length;
    } else
      segments.push({
        x0,
        x1,
        size,
        characters: text.length,
        isContinuation: !WITHIN_NO_SENTENCE.test(text),
      });
  }
  return segments;
}

/** The tallest stretch of rows with a gutter between two columns of running text. */
function tallestGutter(rows: readonly Row[]): Gutter | undefined {
  let best: Gutter | undefined;
  let active: readonly Gutter[] = [];
  const close = (gutter: Gutter): void => {
    if (dividesText(gutter) && (best === undefined || linesOf(gutter) > linesOf(best))) best = gutter;
  };
  for (const [index, row] of rows.entries()) {
    const segments = segmentsOf(row);
    const next: Gutter[] = [];
    const endsSection = isHeadingOfSection(rows, index);
    for (const gutter of active) {
      const [x0, x1] = leftOpen(gutter, segments);
      if (x1 - x0 < MIN_GUTTER || (endsSection && segments.every((one) => one.x1 <= x0))) close(gutter);
      else next.push(grown({ ...gutter, x0, x1, last: index }, segments));
    }
    for (let at = 1; at < segments.length && next.length < MAX_GUTTERS; at++) {
      const [x0, x1] = [segments[at - 1]?.x1 ?? 0, segments[at]?.x0 ?? 0];
      if (next.some((gutter) => gutter.x0 < x1 && gutter.x1 > x0)) continue;
      const sides = { left: NO_LINES, right: NO_LINES };
      next.push(grown({ first: index, last: index, x0, x1, ...sides }, segments));
    }
    active = next;
  }
  active.forEach(close);
  return best;
}

/** Font sizes between a heading and the rows around it. */
const MIN_SPACE = 1.5;

/** Whether a row is in a size or font of its own, with space above it over the whole width: there sections begin. */
function isHeadingOfSection(rows: readonly Row[], index: number): boolean {
  const [before, row, after] = [rows[index - 1], rows[index], rows[index + 1]];
  if (before === undefined || row === undefined || after === undefined) return false;
  const isOther = (one: Row) => one.size < 0.95 * row.size || one.runs[0]?.font !== row.runs[0]?.font;
  return isOther(before) && isOther(after) && row.base - before.base > MIN_SPACE * row.size;
}

const NO_LINES: Side = {
  lines: 0,
  continuations: 0,
  segments: 0,
  characters: 0,
  width: 0,
  x0: Infinity,
  x1: -Infinity,
};
const linesOf = ({ left, right }: Gutter): number => Math.min(left.lines, right.lines);

/** Share of segments within sentences: columns of text have more, columns of a table fewer. */
const MIN_CONTINUATIONS = 0.1;

function dividesText({ left, right }: Gutter): boolean {
  const isFilled = [left, right].every(
    ({ lines, segments, characters, width, x0, x1 }) =>
      lines >= MIN_LINES && characters >= MIN_CHARACTERS * segments && width >= FILLED * (x1 - x0) * lines,
  );
  const continuations = left.continuations + right.continuations;
  return isFilled && continuations >= MIN_CONTINUATIONS * (left.segments + right.segments);
}

/** The part of a gutter that a row leaves free. */
function leftOpen({ x0, x1 }: Gutter, segments: readonly Segment[]): readonly [number, number] {
  let [from, to] = [x0, x1];
  for (const segment of segments) {
    if (segment.x1 <= from || segment.x0 >= to) continue;
    const [isOverLeft, isOverRight] = [segment.x0 <= from, segment.x1 >= to];
    if (isOverLeft === isOverRight) return [from, from];
    if (isOverLeft) from = segment.x1;
    else to = segment.x0;
  }
  return [from, to];
}

function grown(gutter: Gutter, segments: readonly Segment[]): Gutter {
  const { x0, x1 } = gutter;
  const left = withLine(gutter.left, segments, (one) => one.x1 <= x0);
  const right = withLine(gutter.right, segments, (one) => one.x0 >= x1);
  return { ...gutter, left, right };
}

function withLine(side: Side, segments: readonly Segment[], isOn: (one: Segment) => boolean): Side {
  const next = { ...side };
  for (const one of segments) {
    if (!isOn(one)) continue;
    next.lines = side.lines + 1;
    next.segments++;
    next.characters += one.characters;
    if (one.isContinuation) next.continuations++;
    next.width += one.x1 - one.x0;
    next.x0 = Math.min(next.x0, one.x0);
    next.x1 = Math.max(next.x1, one.x1);
  }
  return next;
}
