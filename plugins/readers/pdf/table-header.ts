import { type CellRow, type Extent, extentOf, filledOf, isOfBody, ruleBelow } from './cells.ts';
import type { Run } from './page.ts';
import type { Rule } from './rules.ts';

/** Rows of a header that are looked at. */
const MAX_HEADS = 8;

/** Columns from the first to the last. */
type Span = readonly [number, number];

/**
 * Puts each header cell where it begins: one over several columns into the first, one beside such cells into the first row.
 *
 * @param count how many rows are of the header
 * @param across the rules of the page
 */
export function placeHeader(rows: readonly CellRow[], count: number, across: readonly Rule[]): void {
  const heads = rows.slice(0, Math.min(count, MAX_HEADS));
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
      const [first, end] = spanOf(row.cells[column] ?? [], columns, [from, to], across) ?? [column, column];
      if (first !== column) [row.cells[first], row.cells[column]] = [row.cells[column] ?? [], []];
      if (end > first) isSpanned = true;
      for (let one = first; one <= end; one++) covered.add(one);
      from = end + 1;
    }
  }
  if (!isSpanned) return;
  const [top, ...others] = heads.filter(
    (row, at) => at <= last || (filledOf(row).length > 1 && !isOfBody(row)),
  );
  for (const column of columns.keys()) {
    if (top === undefined || covered.has(column)) continue;
    for (const { cells } of others) top.cells[column]?.push(...(cells[column]?.splice(0) ?? []));
  }
}

const extentsOf = (rows: readonly CellRow[]): Extent[] =>
  (rows[0]?.cells ?? []).map((_, column) =>
    extentOf(rows.flatMap(({ cells }) => cells[column]?.flat() ?? [])),
  );

/** The columns over the rule below a cell, or the most whose middle is that of the cell. */
function spanOf(
  cell: readonly Run[][],
  columns: readonly Extent[],
  [from, to]: Span,
  across: readonly Rule[],
): Span | undefined {
  const rule = ruleBelow(cell, across);
  if (rule !== undefined) {
    const isOver = ({ x0, x1 }: Extent) => (x0 + x1) / 2 > rule.from && (x0 + x1) / 2 < rule.to;
    const first = columns.findIndex((one, at) => at >= from && isOver(one));
    const last = columns.findLastIndex((one, at) => at <= to && isOver(one));
    const isOfAll = columns[0] !== undefined && isOver(columns[0]);
    if (first !== -1 && last >= first && !isOfAll) return [first, last];
  }
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
