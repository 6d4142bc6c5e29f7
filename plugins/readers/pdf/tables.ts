import { columnsOf, type Row, rowsOf } from './columns.ts';
import { findGrids, type Grid } from './grids.ts';
import { textOf } from './lines.ts';
import type { OpenPage, Run, Table, TableRow } from './page.ts';
import { findRules, type Rules, turnedRules } from './rules.ts';

/** A line of text, divided at wide gaps. */
interface TextLine {
  readonly pieces: readonly Piece[];
  readonly row: Row;
}

interface Piece {
  readonly runs: Run[];
  readonly x0: number;
  x1: number;
}

/** A line of text by columns, or several lines that are one row. */
interface CellRow {
  readonly cells: Run[][][];
  readonly base: number;
  last: number;
  readonly size: number;
}

/** Font sizes: gaps between words that may be between columns, and gaps that are. */
const MIN_GAP = 0.5;
const MIN_GAP_MONO = 1;
const WIDE_GAP = 0.9;
const MIN_CHANNEL = 0.3;
/** Share of lines that may cross a gap between columns. */
const MAX_CROSSING = 0.1;
const MIN_ROWS = 3;
/** Font sizes between base lines within a table, and lines in a row that are text over its whole width. */
const MAX_LEADING = 4;
const MAX_HEADS = 2;
/** Lines with which one is compared, and gaps of which a drawing has more. */
const MAX_COMPARED = 20;
const MAX_CHANNELS = 100;
const NUMBER =
  /^[-+\u2013\u2212(<>~*$\u20ac\u00a3\u00a5\s]*(?:\d[\d.,:/\s%)*+\u2013-]*|[-\u2013\u2014]+\)?|n\/?a)[a-z*\u2020]?$/i;
const SIGN = /^(?:[$\u20ac\u00a3\u00a5]|US\$)\s*\(?$/;
const CLOSING = /^[)%\]]+$/;
const MARK =
  /^\s*(?:[\u2022\u25aa\u25cf\u25cb\u25a0\uf0b7\uf0a7*\u2013-]|\(?(?:[\dA-Za-z]{1,3}|[ivx]{1,5})[.):]|\[\d{1,3}\]|\d{1,2}(?:\.\d{1,2})+\.?)\s*$/;
const EQUATION = /^\(\w{1,3}(?:\.\d{1,3})*\)$/;
const LEADER = /(?:\.\s?){4,}/;
const LABEL = /:\s*_*$/;
const BEGINS_WITHIN = /^[\p{Ll}(&,;]/u;
const ENDS_WITHIN =
  /(?:[,\u2010\u2013-]|\b(?:and|or|of|the|to|for|in|by|from|with|on|at|de|del|la|und|et))$/i;

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
  const isTabular = rowsOf(rest).filter((row) => linesOf([row])[0]?.pieces.length !== 1).length >= MIN_ROWS;
  if (isTabular)
    for (const rows of columnsOf([...rest, ...new Set(rowOf.values())])) add(tablesIn(linesOf(rows)));
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

/** Rows of a table with rules; none if it is not one. */
function tableOfGrid(grid: Grid, runs: readonly Run[]): Run[] {
  if (runs.length === 0) return [];
  const isOpen = grid.xs.length < 3;
  const lines = linesOf(rowsOf(runs));
  if (isOpen && isText(lines)) return [];
  const edges = isOpen ? channelsOf(lines, 2) : withInner(grid, runs);
  const columnOf = (run: Run) => edges.filter((x) => x < (run.x0 + run.x1) / 2).length;
  const bands = Map.groupBy(runs, (run) => grid.rowOf((run.y0 + run.y1) / 2, (run.x0 + run.x1) / 2));
  const rows = [...bands]
    .sort(([a], [b]) => a - b)
    .flatMap(([band, own]) => {
      const cellRows = linesOf(rowsOf(own)).map((line) =>
        isOpen
          ? cellRow(line, edges)
          : cellRowBy(line, edges.length + 1, (run) => {
              const column = grid.columnOf((run.x0 + run.x1) / 2, band);
              return column === undefined ? columnOf(run) : edges.filter((x) => x < column).length;
            }),
      );
      const isOfRows =
        cellRows.length > 1 && (conflicts(cellRows) || (isOpen && grid.ys.length < 0.6 * lines.length));
      return isOfRows ? joinedRows(cellRows) : [cellRows.reduce(joinRow)];
    });
  const filled = rows.flatMap(({ cells }) => cells.filter(({ length }) => length > 0)).length;
  const columns = edges.length + 1;
  const isSparse =
    filled < 0.3 * rows.length * columns || grid.cells < 0.45 * (grid.xs.length - 1) * (grid.ys.length - 1);
  if (rows.length < 2 || columns < 2 || filled < 4 || isSparse) return [];
  return written(rows, true);
}

/** The inner edges of a grid, and gaps that divide what is between two of them. */
function withInner(grid: Grid, runs: readonly Run[]): number[] {
  const edges = grid.xs.slice(1, -1);
  const inner = [
    ...Map.groupBy(runs, (run) => edges.filter((x) => x < (run.x0 + run.x1) / 2).length).values(),
  ].flatMap((own) => {
    const lines = linesOf(rowsOf(own));
    const wide = lines.filter(({ pieces, row }) =>
      pieces.some((piece, at) => at > 0 && piece.x0 - (pieces[at - 1]?.x1 ?? 0) > WIDE_GAP * row.size),
    );
    return wide.length < MIN_ROWS || wide.length < 0.5 * lines.length || isText(lines)
      ? []
      : channelsOf(lines, MIN_ROWS);
  });
  return [...edges, ...inner].sort((a, b) => a - b);
}

function linesOf(rows: readonly Row[]): TextLine[] {
  return rows.map((row) => {
    const pieces: Piece[] = [];
    const gap = (row.runs.every(({ isMono }) => isMono) ? MIN_GAP_MONO : MIN_GAP) * row.size;
    for (const run of row.runs) {
      const last = pieces.at(-1);
      const isOfLast =
        last !== undefined &&
        (run.x0 - last.x1 < gap ||
          (run.x0 - last.x1 < 12 * gap &&
            last.runs.length === 1 &&
            SIGN.test(last.runs[0]?.text.trim() ?? '')) ||
          (run.x0 - last.x1 < 2 * gap && CLOSING.test(run.text.trim())));
      if (isOfLast && run.row === undefined) {
        last.runs.push(run);
        last.x1 = Math.max(last.x1, run.x1);
      } else pieces.push({ runs: [run], x0: run.x0, x1: run.x1 });
    }
    return { pieces, row };
  });
}

const isMulti = ({ pieces }: TextLine): boolean => pieces.length > 1;

/** The middles of the gaps between columns, which hardly any line crosses. @param least lines with text on both sides */
function channelsOf(lines: readonly TextLine[], least: number): number[] {
  const multi = lines.filter(isMulti);
  const size = multi.map(({ row }) => row.size).sort((a, b) => a - b)[multi.length >> 1] ?? 0;
  const edges = multi.flatMap(({ pieces }) =>
    pieces.flatMap(({ x0, x1 }) => [
      { x: x0, step: 1 },
      { x: x1, step: -1 },
    ]),
  );
  edges.sort((a, b) => a.x - b.x || a.step - b.step);
  const gaps = multi.flatMap(({ pieces }) =>
    pieces.slice(1).map(({ x0 }, at) => ({ x0: pieces[at]?.x1 ?? 0, x1: x0 })),
  );
  const channels: number[] = [];
  let checked = 0;
  let covering = 0;
  let from: number | undefined;
  const most = MAX_CROSSING * multi.length;
  for (const { x, step } of edges) {
    covering += step;
    if (covering <= most && step < 0) from ??= x;
    if (covering <= most || from === undefined) continue;
    const middle = (from + x) / 2;
    const support =
      x - from < MIN_CHANNEL * size ? 0 : gaps.filter((gap) => gap.x0 < middle && gap.x1 > middle).length;
    if (support >= least) channels.push(middle);
    if (++checked > MAX_CHANNELS) return [];
    from = undefined;
  }
  return channels;
}

/** Puts the pieces of a line into columns; one over several columns is in the first. */
function cellRow({ pieces, row }: TextLine, channels: readonly number[]): CellRow {
  const columns = new Map<Run, number>();
  for (const { runs } of pieces) {
    let column = 0;
    for (const [at, run] of runs.entries()) {
      const gap = run.x0 - (runs[at - 1]?.x1 ?? -Infinity);
      const own = channels.filter(
        (x) => x < (at === 0 ? Math.max(run.x0, Math.min(run.x0 + row.size, run.x1)) : run.x0),
      ).length;
      const isParted = own > column && gap > MIN_CHANNEL * row.size;
      if (at === 0 || isParted) column = own;
      columns.set(run, column);
    }
  }
  return cellRowBy({ pieces, row }, channels.length + 1, (run) => columns.get(run) ?? 0);
}

function cellRowBy({ row }: TextLine, count: number, columnOf: (run: Run) => number): CellRow {
  const cells: Run[][][] = Array.from({ length: count }, () => []);
  for (const run of row.runs) {
    const cell = cells[columnOf(run)];
    if (cell?.[0] === undefined) cell?.push([run]);
    else cell[0].push(run);
  }
  return { cells, base: row.base, last: row.base, size: row.size };
}

const cellText = (cell: readonly Run[][]): string => cell.map(textOf).join(' ').trim();
const isNumber = (cell: readonly Run[][]): boolean => NUMBER.test(cellText(cell));
const filledOf = ({ cells }: CellRow): number[] => [...cells.keys()].filter((at) => cells[at]?.length !== 0);
const numbersOf = (row: CellRow): number[] => filledOf(row).filter((at) => isNumber(row.cells[at] ?? []));

function joinRow(row: CellRow, next: CellRow): CellRow {
  for (const [at, cell] of next.cells.entries()) for (const line of cell) row.cells[at]?.push(line);
  row.last = next.last;
  return row;
}

/** Whether lines between two rules are rows of their own: numbers are below numbers. */
function conflicts(lines: readonly CellRow[]): boolean {
  const numeric = lines.map((line) => new Set(numbersOf(line)));
  let found = 0;
  for (const [at, line] of lines.entries())
    if (
      at > 0 &&
      [...(numeric[at] ?? [])].some((column) => numeric[at - 1]?.has(column)) &&
      filledOf(line).length > 1
    )
      found++;
  return found >= Math.max(1, 0.5 * (lines.length - 1));
}

/** Joins lines that continue the row before, or begin that after. */
function joinedRows(lines: readonly CellRow[]): CellRow[] {
  const first = lines.findIndex((line) => numbersOf(line).some((at) => at > 0));
  const usual = usualDistance(lines);
  const rows: CellRow[] = [];
  let isBegun = false;
  for (const [index, line] of lines.entries()) {
    const last = rows.at(-1);
    const next = lines[index + 1];
    if (last !== undefined && (isBegun || continues(last, line, { usual, isHead: index < first })))
      joinRow(last, line);
    else rows.push(line);
    const text = cellText(line.cells[0] ?? []);
    isBegun =
      next !== undefined &&
      filledOf(line).join() === '0' &&
      filledOf(next).length > 1 &&
      (next.cells[0]?.length ?? 0) > 0 &&
      next.base - line.base < 1.6 * line.size &&
      (BEGINS_WITHIN.test(cellText(next.cells[0] ?? [])) || ENDS_WITHIN.test(text));
  }
  return rows;
}

/** The usual distance of rows, from one with several cells to the next. */
function usualDistance(lines: readonly CellRow[]): number {
  const distances: number[] = [];
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    if (before === undefined || (line.cells[0]?.length ?? 0) === 0) continue;
    if (filledOf(line).length > 1) distances.push(line.base - before.base);
  }
  return distances.sort((a, b) => a - b)[distances.length >> 1] ?? Infinity;
}

function continues(
  row: CellRow,
  line: CellRow,
  { usual, isHead }: { usual: number; isHead: boolean },
): boolean {
  const [own, before] = [filledOf(line), filledOf(row)];
  const distance = line.base - row.last;
  const numbers = numbersOf(line);
  if (distance > 1.7 * line.size || distance > 1.15 * usual) return false;
  if (numbers.some((at) => at > 0 && isNumber(row.cells[at] ?? []))) return false;
  const isClose = distance < 0.85 * usual;
  const isWithin = own.every((at) => before.includes(at));
  if (isHead) {
    if (numbers.some((at) => at > 0)) return false;
    return isClose
      ? isWithin || before.every((at) => own.includes(at))
      : isWithin && own.length < before.length && own[0] !== 0;
  }
  if (numbers.length > 0 && !(own.length === 1 && own[0] === 0)) return false;
  if (own[0] === 0 && own.length > 1 && !isClose) return false;
  if (own[0] === 0 && own.length === 1 && !isClose)
    return before.length > 1 && BEGINS_WITHIN.test(cellText(line.cells[0] ?? []));
  return isWithin || (isClose && own[0] !== 0);
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
  if (!isTabular(block, lines)) return [];
  const rows = joinedRows(lines);
  return rows.length < MIN_ROWS ? [] : written(rows, false);
}

const isMultiAt = (pieces: readonly Piece[], channels: readonly number[]): number =>
  new Set(pieces.map(({ x0, x1 }) => channels.filter((x) => x < (x0 + x1) / 2).length)).size;

/** Whether cells are those of a table, and not of a list, a form, formulas, a table of contents or columns of text. */
function isTabular(block: readonly TextLine[], lines: readonly CellRow[]): boolean {
  const multi = lines.filter((line) => filledOf(line).length > 1);
  if (multi.length < MIN_ROWS || multi.length < 0.4 * lines.length) return false;
  const columns = lines[0]?.cells.length ?? 0;
  const texts = multi.map((line) => line.cells.map(cellText));
  const share = (column: number, pattern: RegExp) => {
    const own = texts.map((cells) => cells[column] ?? '').filter((text) => text !== '');
    return own.filter((text) => pattern.test(text)).length / Math.max(own.length, 1);
  };
  const all = texts.flat().filter((text) => text !== '');
  const shareOf = (pattern: RegExp) => all.filter((text) => pattern.test(text)).length / all.length;
  const numbers = texts.flatMap((cells) => cells.slice(1)).filter((text) => NUMBER.test(text)).length;
  if (
    texts.filter((cells) => cells.some((text) => LEADER.test(text))).length > 0.3 * texts.length &&
    columns < 4
  )
    return false;
  if (
    columns === 2 &&
    (share(0, MARK) > 0.5 || share(1, EQUATION) > 0.4 || share(1, /^\d{1,4}$|^[ivxl]+$/) > 0.8)
  )
    return false;
  const filled = lines.reduce((sum, line) => sum + filledOf(line).length, 0);
  // Labels of a diagram are scattered; a list has little beside its points.
  if (all.length < 0.5 * texts.length * columns) return false;
  if (columns === 3 && share(0, MARK) > 0.5 && filled < 2.4 * lines.length) return false;
  if (
    columns === 2 &&
    share(0, /^\d{1,3}$/) > 0.8 &&
    share(1, NUMBER) < 0.2 &&
    countUp(texts.map(([text = '']) => text))
  )
    return false;
  // Words of running text may be below each other by chance.
  if (columns > 3 && shareOf(/^\p{Ll}+[,.;]?$/u) > 0.5) return false;
  if (shareOf(LABEL) > 0.3 || shareOf(/[=\u2211\u222b\u2264\u2265\u2208{};]/) > 0.25) return false;
  const isMono = block.every(({ row }) => row.runs.every((run) => run.isMono));
  if (isMono && numbers < 0.4 * multi.length) return false;
  return !isText(block);
}

/** Whether numbers are those of lines. */
const countUp = (numbers: readonly string[]): boolean =>
  numbers.slice(1).filter((text, at) => Number(text) === Number(numbers[at]) + 1).length >
  0.6 * (numbers.length - 1);

/** Whether lines are those of columns of text: long pieces that begin within sentences. */
function isText(lines: readonly TextLine[]): boolean {
  const pieces = lines.flatMap(({ pieces }) => pieces.map(({ runs }) => textOf(runs)));
  const words = pieces.filter((text) => !NUMBER.test(text));
  const long = words.filter((text) => text.length > 24);
  const within = words.filter((text) => /^\p{Ll}/u.test(text));
  return long.length > 0.4 * pieces.length && within.length > 0.15 * pieces.length;
}

const least = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.min(a, b), Infinity);

/** The rows of a table, without columns that are blank. */
function written(rows: readonly CellRow[], isRuled: boolean): Run[] {
  const kept = [...(rows[0]?.cells.keys() ?? [])].filter((at) =>
    rows.some(({ cells }) => cells[at]?.length !== 0),
  );
  if (kept.length < 2) return [];
  const lefts = kept.map((at) =>
    least(rows.flatMap(({ cells }) => cells[at]?.flat().map(({ x0 }) => x0) ?? [])),
  );
  const table: Table = { columns: kept.length, lefts, isRuled };
  return rows.flatMap(({ cells, base, size }): Run[] => {
    const runs = cells.flat(2);
    const [first] = runs;
    if (first === undefined) return [];
    const lines = kept.map((at) => (cells[at] ?? []).map(textOf));
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
