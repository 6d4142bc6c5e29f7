import { type CellRow, filledOf, headsOf } from './cells.ts';
import type { Run } from './page.ts';

/** Rows of a header that are looked at. */
const MAX_HEADS = 8;

interface Extent {
  readonly x0: number;
  readonly x1: number;
}

/** Columns from the first to the last. */
type Span = readonly [number, number];

/** Puts each header cell where it begins: one over several columns into the first, one beside such cells into the first row. */
export function placeHeader(rows: readonly CellRow[]): void {
  const heads = rows.slice(0, Math.min(headsOf(rows), MAX_HEADS));
  const last = heads.findIndex((row) => filledOf(row)[0] === 0);
  if (heads.length < 2 || last === -1) return;
  const columns = extentsOf(rows.slice(last));
  const covered = new Set<number>();
  let isSpanned = false;
  for (const [at, row] of heads.slice(0, last).entries()) {
    const below = Math.max(...heads.slice(at + 1, last + 1).map((other) => filledOf(other).length));
    const filled = filledOf(row);
    if (filled.length >= below) continue;
    let from = 1;
    for (const [index, column] of filled.entries()) {
      const to = (filled[index + 1] ?? columns.length) - 1;
      const [first, end] = spanOf(row.cells[column] ?? [], columns, [from, to]) ?? [column, column];
      if (first !== column) [row.cells[first], row.cells[column]] = [row.cells[column] ?? [], []];
      if (end > first) isSpanned = true;
      for (let one = first; one <= end; one++) covered.add(one);
      from = end + 1;
    }
  }
  if (!isSpanned) return;
  for (const column of columns.keys()) {
    const at = heads.findIndex((row) => row.cells[column]?.length !== 0);
    const [row, top] = [heads[at], heads[0]];
    if (at > last || row === undefined || top === undefined || row === top || covered.has(column)) continue;
    [top.cells[column], row.cells[column]] = [row.cells[column] ?? [], []];
  }
}

const extentsOf = (rows: readonly CellRow[]): Extent[] =>
  (rows[0]?.cells ?? []).map((_, column) =>
    extentOf(rows.flatMap(({ cells }) => cells[column]?.flat() ?? [])),
  );

const extentOf = (runs: readonly Run[]): Extent => ({
  x0: runs.reduce((least, { x0 }) => Math.min(least, x0), Infinity),
  x1: runs.reduce((most, { x1 }) => Math.max(most, x1), -Infinity),
});

/** The most columns whose middle is that of a cell. */
function spanOf(cell: readonly Run[][], columns: readonly Extent[], [from, to]: Span): Span | undefined {
  const { x0, x1 } = extentOf(cell.flat());
  const size = cell[0]?.[0]?.size ?? 0;
  let best: Span | undefined;
  for (let first = from; first <= to; first++)
    for (let last = to; last >= first && (best === undefined || last - first > best[1] - best[0]); last--) {
      const [left, right] = [columns[first]?.x0 ?? 0, columns[last]?.x1 ?? 0];
      const isInside = left < x0 + size && right > x1 - size;
      if (isInside && Math.abs(left + right - x0 - x1) / 2 < size) best = [first, last];
    }
  return best;
}
