import {
  type CellRow,
  cellRow,
  cellRowBy,
  channelsOf,
  conflicts,
  isMulti,
  joinedRows,
  joinRow,
  least,
  type Piece,
  type TextLine,
  textLinesOf,
  WIDE_GAP,
} from './cells.ts';
import { columnsOf, rowsOf } from './columns.ts';
import { findGrids, type Grid } from './grids.ts';
import { runsFromRight, textOfRuns } from './lines.ts';
import type { OpenPage, Run, Table, TableRow } from './page.ts';
import { findRules, type Rules, turnedRules } from './rules.ts';
import { flowsOn, isTabular, MIN_ROWS } from './tabular.ts';

/** Font sizes between base lines within a table, and lines in a row that are text over its whole width. */
const MAX_LEADING = 4;
const MAX_HEADS = 2;
/** Share of lines that may cross a gap between columns where rules say that there is a table. */
const MAX_CROSSING_IN_RULES = 0.2;
/** Lines with which one is compared. */
const MAX_COMPARED = 20;

/** Replaces the runs of tables by one run for each row. */
export function withTables(open: OpenPage, runs: ReadonlyMap<number, Run[]>): Map<number, Run[]> {
  const rules = findRules(open);
  return new Map(Array.from(runs, ([turns, own]) => [turns, replaced(own, turnedRules(rules, turns, open))]));
}

function replaced(runs: Run[], rules: Rules): Run[] {
  const rowOf = new Map<Run, Run>();
  const add = (rows: readonly Run[]): void => {
    for (const row of rows) for (const run of row.row?.runs ?? []) rowOf.set(run, row);
  };
  for (const { grid, inside } of withRuns(findGrids(rules), runs)) add(tableOfGrid(grid, inside));
  const rest = runs.filter((run) => !rowOf.has(run));
  const isTabular =
    rowsOf(rest).filter((row) => textLinesOf([row])[0]?.pieces.length !== 1).length >= MIN_ROWS;
  if (isTabular)
    for (const rows of columnsOf([...rest, ...new Set(rowOf.values())])) add(tablesIn(textLinesOf(rows)));
  return rowOf.size === 0 ? runs : inPlace(runs, rowOf);
}

/** The rows of a table are where the file begins to draw it. */
function inPlace(runs: readonly Run[], rowOf: ReadonlyMap<Run, Run>): Run[] {
  const rowsOfTable = Map.groupBy(new Set(rowOf.values()), (run) => run.row?.table);
  const placed: Run[] = [];
  for (const run of runs) {
    const row = rowOf.get(run);
    if (row === undefined) placed.push(run);
    else {
      const rows = (rowsOfTable.get(row.row?.table) ?? []).sort((a, b) => a.base - b.base);
      for (const one of rows) placed.push(one);
      rowsOfTable.delete(row.row?.table);
    }
  }
  return placed;
}

/** Runs of each grid; those of a grid within another one belong to the inner one. */
function withRuns(grids: readonly Grid[], runs: readonly Run[]): { grid: Grid; inside: Run[] }[] {
  const found = grids.map((grid) => ({ grid, inside: [] as Run[] }));
  if (grids.length === 0) return found;
  for (const run of runs) {
    const [x, y] = [(run.x0 + run.x1) / 2, (run.y0 + run.y1) / 2];
    found.find(({ grid: { x0, x1, y0, y1 } }) => x > x0 && x < x1 && y > y0 && y < y1)?.inside.push(run);
  }
  return found;
}

/** What is between two rules. */
interface Band {
  readonly band: number;
  readonly lines: readonly TextLine[];
}

/** Rows of a table with rules; none if it is not one. Text between rules without columns divides tables. */
function tableOfGrid(grid: Grid, runs: readonly Run[]): Run[] {
  const bandOf = (run: Run) => grid.rowOf((run.y0 + run.y1) / 2, (run.x0 + run.x1) / 2);
  const bands = [...Map.groupBy(runs, bandOf)]
    .sort(([a], [b]) => a - b)
    .map(([band, own]) => ({ band, lines: textLinesOf(rowsOf(own), true) }));
  if (grid.xs.length > 2) return tableOfBands(grid, bands, withInner(grid, runs));
  const found: Run[] = [];
  let table: Band[] = [];
  const end = (): void => {
    const own = table.slice(0, table.findLastIndex(isOfTable) + 1);
    for (const run of tableOfBands(grid, own, undefined)) found.push(run);
    table = [];
  };
  for (const band of bands) {
    const isText =
      !isOfTable(band) && band.lines.some(({ row }) => row.x1 - row.x0 > 0.6 * (grid.x1 - grid.x0));
    if (isText) end();
    else if (table.length > 0 || isOfTable(band)) table.push(band);
  }
  end();
  return found;
}

/** @param inner the edges between columns, unless text tells them */
function tableOfBands(grid: Grid, bands: readonly Band[], inner: readonly number[] | undefined): Run[] {
  const lines = bands.flatMap((one) => one.lines);
  const edges = inner ?? channelsOf(lines, 2, MAX_CROSSING_IN_RULES);
  const isOpen = inner === undefined;
  if (lines.length === 0 || (isOpen && (isCode(lines) || flowsOn(lines.map((line) => cellRow(line, edges))))))
    return [];
  const columnOf = (run: Run) => edges.filter((x) => x < (run.x0 + run.x1) / 2).length;
  const rows = bands.flatMap(({ band, lines: own }) => {
    const cellRows = own.map((line) =>
      isOpen
        ? cellRow(line, edges)
        : cellRowBy(line, edges.length + 1, (run) => {
            const column = grid.columnOf((run.x0 + run.x1) / 2, band);
            return column === undefined ? columnOf(run) : edges.filter((x) => x < column).length;
          }),
    );
    const isOfRows =
      cellRows.length > 1 && (conflicts(cellRows) || (isOpen && bands.length < 0.6 * lines.length));
    return isOfRows ? joinedRows(cellRows) : [cellRows.reduce(joinRow)];
  });
  const filled = rows.flatMap(({ cells }) => cells.filter(({ length }) => length > 0)).length;
  const columns = edges.length + 1;
  const isSparse =
    filled < 0.3 * rows.length * columns || grid.cells < 0.45 * (grid.xs.length - 1) * (grid.ys.length - 1);
  if (rows.length < 2 || columns < 2 || filled < 4 || isSparse) return [];
  return written(rows, true);
}

/** Whether all lines are in a fixed-pitch font: between rules, they are code. */
const isCode = (lines: readonly TextLine[]): boolean =>
  lines.every(({ row }) => row.runs.every(({ isMono }) => isMono));

/** Whether what is between two rules may be of a table without columns of rules, and is not running text. */
const isOfTable = ({ lines }: Band): boolean => lines.filter(isMulti).length > 0.3 * lines.length;

/** The inner edges of a grid, and gaps that divide what is between two of them. */
function withInner(grid: Grid, runs: readonly Run[]): number[] {
  const edges = grid.xs.slice(1, -1);
  const inner = [
    ...Map.groupBy(runs, (run) => edges.filter((x) => x < (run.x0 + run.x1) / 2).length).values(),
  ].flatMap((own) => {
    const lines = textLinesOf(rowsOf(own), true);
    const wide = lines.filter(({ pieces, row }) =>
      pieces.some((piece, at) => at > 0 && piece.x0 - (pieces[at - 1]?.x1 ?? 0) > WIDE_GAP * row.size),
    );
    if (wide.length < MIN_ROWS || wide.length < 0.5 * lines.length) return [];
    const channels = channelsOf(lines, MIN_ROWS);
    return flowsOn(lines.map((line) => cellRow(line, channels))) ? [] : channels;
  });
  return [...edges, ...inner].sort((a, b) => a - b);
}

/** Tables without rules in the lines of a column. */
function tablesIn(lines: readonly TextLine[], depth = 0): Run[] {
  const found: Run[] = [];
  let block: TextLine[] = [];
  const end = (): void => {
    while (block.length > 0 && !isLastOf(block)) block.pop();
    if (block.filter(isMulti).length >= MIN_ROWS)
      for (const run of tableOfBlock(block, depth)) found.push(run);
    block = [];
  };
  for (const [index, line] of lines.entries()) {
    const last = block.at(-1);
    const isApart =
      last !== undefined &&
      line.row.base - last.row.base > MAX_LEADING * Math.max(line.row.size, last.row.size);
    if (isApart || line.row.runs.some(({ row }) => row !== undefined)) end();
    if (line.row.runs.some(({ row }) => row !== undefined)) continue;
    const isText = lines.slice(Math.max(index - MAX_HEADS, 0), index + 1).every((one) => !isMulti(one));
    if (isText && block.length > 0 && !isNarrow(line, block)) end();
    if (block.length > 0 || isMulti(line)) block.push(line);
  }
  end();
  return found;
}

/** The left and right end of the last lines of a block. */
function extentOf(block: readonly TextLine[]): readonly [number, number] {
  const rows = block.slice(-MAX_COMPARED).map(({ row }) => row);
  return [Math.min(...rows.map(({ x0 }) => x0)), Math.max(...rows.map(({ x1 }) => x1))];
}

/** Whether a line is at most as wide as the first pieces of others, as that of a label that wraps. */
function isNarrow({ row }: TextLine, block: readonly TextLine[]): boolean {
  const [left, right] = extentOf(block);
  return row.x1 - row.x0 < 0.6 * (right - left);
}

/** Whether the last line of a block has several pieces, or continues a cell that is not the first of its row. */
function isLastOf(block: readonly TextLine[]): boolean {
  const [before, last] = [block.at(-2)?.row, block.at(-1)];
  if (last === undefined || before === undefined || isMulti(last)) return true;
  const { x0, size, base } = last.row;
  return x0 > extentOf(block)[0] + 2 * size && base - before.base < 1.7 * size;
}

function tableOfBlock(block: readonly TextLine[], depth: number): Run[] {
  const channels = channelsOf(block, Math.max(MIN_ROWS - 1, 0.1 * block.length));
  if (channels.length === 0) return [];
  const crosses = ({ pieces }: TextLine) =>
    isMultiAt(pieces, channels) < 2 ||
    pieces.some(({ x0, x1 }) => channels.filter((x) => x > x0 && x < x1).length > 1);
  const misfit = block.findIndex((line) => isMulti(line) && crosses(line));
  const misfits = block.filter((line) => isMulti(line) && crosses(line)).length;
  if (misfits > 0.2 * block.length && depth < 8 && misfit >= 0)
    return [...tablesIn(block.slice(0, misfit), depth + 1), ...tablesIn(block.slice(misfit + 1), depth + 1)];
  const lines = block.map((line) => cellRow(line, channels));
  if (!isTabular(block, lines, channels)) return [];
  const rows = joinedRows(lines);
  return rows.length < MIN_ROWS ? [] : written(rows, false);
}

const isMultiAt = (pieces: readonly Piece[], channels: readonly number[]): number =>
  new Set(pieces.map(({ x0, x1 }) => channels.filter((x) => x < (x0 + x1) / 2).length)).size;

/** The rows of a table, without columns that are blank. The first column is the one that its readers begin with. */
function written(rows: readonly CellRow[], isRuled: boolean): Run[] {
  const kept = [...(rows[0]?.cells.keys() ?? [])].filter((at) =>
    rows.some(({ cells }) => cells[at]?.length !== 0),
  );
  if (kept.length < 2) return [];
  if (runsFromRight(rows.flatMap(({ cells }) => cells.flat(2)))) kept.reverse();
  const lefts = kept.map((at) =>
    least(rows.flatMap(({ cells }) => cells[at]?.flat().map(({ x0 }) => x0) ?? [])),
  );
  const table: Table = { columns: kept.length, lefts, isRuled };
  return rows.flatMap(({ cells, base, size }): Run[] => {
    const runs = cells.flat(2);
    const [first] = runs;
    if (first === undefined) return [];
    const lines = kept.map((at) => (cells[at] ?? []).map(textOfRuns));
    const row: TableRow = { table, cells: lines, runs };
    return [
      {
        ...first,
        text: lines.map((cell) => cell.join(' ')).join('\t'),
        x0: least(runs.map(({ x0 }) => x0)),
        x1: -least(runs.map(({ x1 }) => -x1)),
        y0: least(runs.map(({ y0 }) => y0)),
        y1: -least(runs.map(({ y1 }) => -y1)),
        base,
        size,
        row,
      },
    ];
  });
}
