import {
  type CellRow,
  cellRow,
  cellRowBy,
  channelsOf,
  filledOf,
  hasRows,
  hasYears,
  headsOf,
  isMulti,
  isNumeric,
  joinedRows,
  joinRow,
  least,
  NUMBER,
  type Piece,
  type TextLine,
  textLinesOf,
  WIDE_GAP,
} from './cells.ts';
import { withoutLeader } from './characters.ts';
import { columnsOf, rowsOf } from './columns.ts';
import { findGrids, type Grid } from './grids.ts';
import { runsFromRight, textOfRuns } from './lines.ts';
import type { OpenPage, Run, Table, TableRow } from './page.ts';
import { findRules, type Rule, type Rules, turnedRules } from './rules.ts';
import { placeHeader } from './table-header.ts';
import { flowsOn, isOpenTable, isTabular, MIN_ROWS } from './tabular.ts';

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
  return new Map(
    Array.from(runs, ([turns, own]) => {
      const height = turns % 2 === 0 ? open.height : open.width;
      return [turns, replaced(own, turnedRules(rules, turns, open), height)];
    }),
  );
}

/** Share of the height of a page between the rules of its header and its footer. */
const FRAME = 0.8;

function replaced(runs: Run[], rules: Rules, height: number): Run[] {
  const rowOf = new Map<Run, Run>();
  const add = (rows: readonly Run[]): void => {
    for (const row of rows) for (const run of row.row?.runs ?? []) rowOf.set(run, row);
  };
  const grids = findGrids(rules).filter(
    ({ xs, ys, y0, y1 }) => xs.length > 2 || ys.length > 4 || y1 - y0 < FRAME * height,
  );
  const found = withRuns(grids, runs);
  const enclosed = new Set(found.flatMap(({ inside }) => inside));
  const free = grids.length === 0 ? [] : runs.filter((run) => !enclosed.has(run));
  for (const { grid, inside } of found) add(tableOfGrid(grid, inside, { free, across: rules.across }));
  const rest = runs.filter((run) => !rowOf.has(run));
  let multi = 0;
  for (const row of rowsOf(rest))
    if (multi < MIN_ROWS && row.runs.length > 1 && textLinesOf([row]).some(isMulti)) multi++;
  if (multi === MIN_ROWS)
    for (const rows of columnsOf([...rest, ...new Set(rowOf.values())]))
      add(tablesIn(textLinesOf(rows), rules.across));
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

/** What is around a grid: runs that no grid encloses, and the rules of the page. */
interface Around {
  readonly free: readonly Run[];
  readonly across: readonly Rule[];
}

/** Rows of a table with rules; none if it is not one. Text between rules without columns divides tables. */
function tableOfGrid(grid: Grid, runs: readonly Run[], { free, across }: Around): Run[] {
  const places = grid.placesOf(runs);
  const bands = [...Map.groupBy(runs, (run) => places.get(run)?.row ?? 0)]
    .sort(([a], [b]) => a - b)
    .map(([, own]) => textLinesOf(rowsOf(own), true));
  if (grid.xs.length > 2) {
    const edges = withInner(grid, runs);
    const xOf = (run: Run) => places.get(run)?.x ?? 0;
    const cells = bands.map((lines) =>
      lines.map((line) => cellRowBy(line.row, edges.length + 1, (run) => columnAt(edges, xOf(run)))),
    );
    return tableOfBands(grid, cells, { across, isOpen: false });
  }
  const lines = bands.flat();
  if (isBesideLabels(lines, grid, free)) return [];
  return dividedBands(bands, grid).flatMap((own) => openTable(grid, own, lines, { free, across }));
}

/** The bands of each table: running text divides tables, and so does a header after numbers. */
function dividedBands(bands: readonly TextLine[][], { x0, x1 }: Grid): TextLine[][][] {
  const lines = bands.flat();
  // Between rules a gap is also before a header within a table.
  const titled = newHeaders(lines).filter((at) => !isMulti(lines[at - 1] as TextLine));
  const headers = new Set(titled.map((at) => lines[at]));
  const isText = (line: TextLine | undefined) =>
    line !== undefined && !isMulti(line) && line.row.x1 - line.row.x0 > 0.6 * (x1 - x0);
  const found: TextLine[][][] = [[]];
  for (const band of bands) {
    const isTable = isOfTable(band);
    let own: TextLine[] = [];
    const end = (): void => {
      if (own.length > 0 && (isTable || found.at(-1)?.length !== 0)) found.at(-1)?.push(own);
      own = [];
    };
    for (const [at, line] of band.entries()) {
      if (headers.has(line)) {
        while (own.length > 0 && !isMulti(own.at(-1) as TextLine)) own.pop();
        end();
        found.push([]);
      } else if (isText(line) && (!isTable || isText(band[at + 1]))) {
        if (!isTable) own = [];
        end();
        found.push([]);
        break;
      }
      own.push(line);
    }
    end();
  }
  return found
    .map((own) => own.slice(0, own.findLastIndex(isOfTable) + 1))
    .filter(({ length }) => length > 0);
}

/** A table whose columns no rules divide. @param all the lines within its grid */
function openTable(
  grid: Grid,
  bands: TextLine[][],
  all: readonly TextLine[],
  { free, across }: Around,
): Run[] {
  const lines = bands.flat();
  const edges = channelsOf(lines, 2, MAX_CROSSING_IN_RULES);
  const isFirst = lines[0] === all[0];
  const isLast = lines.at(-1) === all.at(-1);
  const [above, below] = isFirst || isLast ? beside(grid, edges, free) : [[], []];
  const cells = [isFirst ? above : [], ...bands, isLast ? below : []].flatMap((band) =>
    band.length > 0 ? [band.map((line) => cellRow(line, edges))] : [],
  );
  return isOpenTable(lines, cells.flat()) ? tableOfBands(grid, cells, { across, isOpen: true }) : [];
}

/** Whether rules are above and below the numbers of rows whose labels are at their left. */
function isBesideLabels(lines: readonly TextLine[], { x0 }: Grid, free: readonly Run[]): boolean {
  const labels = free.filter((run) => run.x1 < x0).map(({ base }) => base);
  const numeric = lines.filter(({ pieces: [first] }) => NUMBER.test(textOfRuns(first?.runs ?? []).trim()));
  const labelled = numeric.filter(({ row }) =>
    labels.some((base) => Math.abs(base - row.base) < 0.3 * row.size),
  );
  return labelled.length > 0.5 * lines.length;
}

/** Font sizes between a rule and a row beyond it. */
const MAX_BEYOND = 2.5;

/** Lines above the first rule and below the last that are rows of its table, whose header may be above all rules. */
function beside(
  grid: Grid,
  edges: readonly number[],
  free: readonly Run[],
): readonly [TextLine[], TextLine[]] {
  const isNear = ({ x0, x1, y0, y1 }: Run) =>
    x0 > grid.x0 - NEAR_GRID &&
    x1 < grid.x1 + NEAR_GRID &&
    y1 > grid.y0 - NEAR_GRID * MAX_BEYOND &&
    y0 < grid.y1 + NEAR_GRID * MAX_BEYOND;
  const lines = textLinesOf(rowsOf(free.filter(isNear)), true);
  const columns = edges.length + 1;
  const fits = ({ pieces }: TextLine, share: number) =>
    pieces.length >= share * columns &&
    pieces.every(({ x0, x1 }) => !edges.some((x) => x > x0 && x < x1)) &&
    isMultiAt(pieces, edges) === pieces.length;
  const above: TextLine[] = [];
  let base = grid.y0;
  for (const line of lines.filter(({ row }) => row.base < grid.y0).reverse()) {
    if (base - line.row.base > MAX_BEYOND * line.row.size || line.pieces.length < 2 || !fits(line, 0.6))
      break;
    above.unshift(line);
    base = line.row.base;
  }
  const below: TextLine[] = [];
  base = grid.y1;
  for (const line of lines.filter(({ row }) => row.y0 > grid.y1 - 1)) {
    const isNext = line.row.base - base < MAX_BEYOND * line.row.size && columns > 2 && fits(line, 1);
    const isWrapped =
      below.length > 0 &&
      line.row.base - base < 1.7 * line.row.size &&
      line.row.x0 > (edges[0] ?? 0) &&
      fits(line, 0);
    if (!isNext && !isWrapped) break;
    below.push(line);
    base = line.row.base;
  }
  return [above, below];
}

/** Points around a grid in which its rows may be. */
const NEAR_GRID = 20;

const columnAt = (edges: readonly number[], at: number): number => edges.filter((x) => x < at).length;

/** @param bands lines of cells between rules @param isOpen whether rules divide no columns */
function tableOfBands(
  grid: Grid,
  bands: readonly (readonly CellRow[])[],
  { across, isOpen }: { across: readonly Rule[]; isOpen: boolean },
): Run[] {
  const lines = bands.flat();
  const columns = lines[0]?.cells.length ?? 0;
  const count = Math.max(headsOf(lines), bands.length > 1 ? (bands[0]?.length ?? 0) : 0);
  const heads = new Set(lines.slice(0, count));
  const rows = bands.flatMap((band) => {
    return isOpen || hasRows(band) ? joinedRows(band, heads, across) : [band.reduce(joinRow)];
  });
  const filled = rows.flatMap(({ cells }) => cells.filter(({ length }) => length > 0)).length;
  const share = filled / (rows.length * columns);
  const isDrawing = grid.cells < 0.45 * (grid.xs.length - 1) * (grid.ys.length - 1) && share < 0.6;
  // Boxes of a layout hold running text.
  const isLayout =
    rows.length < 3 && columns > 3 && rows.some(({ cells }) => cells.some((cell) => cell.length > 12));
  if (isLayout || rows.length < 2 || columns < 2 || filled < 4 || share < 0.3 || isDrawing) return [];
  return written(rows, { across, heads, isRuled: true });
}

/** Whether what is between two rules may be of a table without columns of rules, and is not running text. */
const isOfTable = (band: readonly TextLine[]): boolean => band.filter(isMulti).length > 0.3 * band.length;

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

/** The beginning of a caption, in the languages of most files. */
const CAPTION =
  /^\s*(?:table|tab|figure|fig|tabelle|abbildung|tableau|tabla|figura|tabela|exhibit|表|图)\.?\s*\d/i;

const isCaption = ({ row }: TextLine): boolean =>
  CAPTION.test(`${row.runs[0]?.text ?? ''}${row.runs[1]?.text ?? ''}`);

/** Tables without rules in the lines of a column. */
function tablesIn(lines: readonly TextLine[], across: readonly Rule[]): Run[] {
  const found: Run[] = [];
  let block: TextLine[] = [];
  const end = (): void => {
    while (block.length > 0 && !isLastOf(block)) block.pop();
    if (block.filter(isMulti).length >= MIN_ROWS)
      for (const run of tableOfBlock(block, across)) found.push(run);
    block = [];
  };
  for (const [index, line] of lines.entries()) {
    const last = block.at(-1);
    const isApart =
      last !== undefined &&
      line.row.base - last.row.base > MAX_LEADING * Math.max(line.row.size, last.row.size);
    if (isApart || isCaption(line) || line.row.runs.some(({ row }) => row !== undefined)) end();
    if (line.row.runs.some(({ row }) => row !== undefined)) continue;
    if (isCaption(line)) continue;
    const isText = lines.slice(Math.max(index - MAX_HEADS, 0), index + 1).every((one) => !isMulti(one));
    if (isText && block.length > 0 && !isNarrow(line, block)) end();
    if (block.length > 0 || isMulti(line)) block.push(line);
  }
  end();
  return found;
}

/** The left and right side of the last lines of a block. */
function sidesOf(block: readonly TextLine[]): readonly [number, number] {
  const rows = block.slice(-MAX_COMPARED).map(({ row }) => row);
  return [Math.min(...rows.map(({ x0 }) => x0)), Math.max(...rows.map(({ x1 }) => x1))];
}

/** Whether a line is at most as wide as the first pieces of others, as that of a label that wraps. */
function isNarrow({ row }: TextLine, block: readonly TextLine[]): boolean {
  const [left, right] = sidesOf(block);
  return row.x1 - row.x0 < 0.6 * (right - left);
}

/** Whether the last line of a block has several pieces, or continues a cell that is not the first of its row. */
function isLastOf(block: readonly TextLine[]): boolean {
  const [before, last] = [block.at(-2)?.row, block.at(-1)];
  if (last === undefined || before === undefined || isMulti(last)) return true;
  const { x0, size, base } = last.row;
  return x0 > sidesOf(block)[0] + 2 * size && base - before.base < 1.7 * size;
}

/** A block may hold several tables, each with a header of its own, and titles between them. */
function tableOfBlock(block: readonly TextLine[], across: readonly Rule[]): Run[] {
  const starts = [0, ...newHeaders(block), block.length];
  return starts.slice(1).flatMap((end, at) => tableOfLines(block.slice(starts[at], end), across));
}

/** Indexes of lines that begin a header after numbers, below a title or a gap. */
function newHeaders(block: readonly TextLine[]): number[] {
  const [left, right] = sidesOf(block);
  const indent = ({ row }: TextLine) => (row.x0 - left) / (right - left);
  let hasNumbers = false;
  return block.flatMap((line, at) => {
    const before = block[at - 1];
    const isBody = isNumeric(line);
    const isApart =
      before !== undefined &&
      (line.row.base - before.row.base > HEADER_GAP * line.row.size ||
        (!isMulti(before) && indent(before) < HEADER_INDENT));
    const isHead = indent(line) > HEADER_INDENT || hasYears(line);
    const begins = hasNumbers && !isBody && isApart && isHead && isHeader(block, at);
    if (isBody || begins) hasNumbers = isBody;
    return begins ? [at] : [];
  });
}

/** Share of the width of a block to the left of a header without a stub. */
const HEADER_INDENT = 0.25;
/** Font sizes between rows and the header of another table. */
const HEADER_GAP = 1.9;
const MAX_LINES_OF_HEADER = 4;

/** Whether numbers follow within the lines of a header. */
const isHeader = (block: readonly TextLine[], at: number): boolean =>
  block.slice(at + 1, at + 1 + MAX_LINES_OF_HEADER).some(isNumeric);

function tableOfLines(block: readonly TextLine[], across: readonly Rule[]): Run[] {
  const channels = channelsOf(block, Math.max(MIN_ROWS - 1, 0.1 * block.length));
  if (channels.length === 0) return [];
  const all = block.map((line) => cellRow(line, channels));
  const from = all.findIndex((line) => !isTitle(line));
  const to = all.findLastIndex((line) => !isTitle(line)) + 1;
  const lines = all.slice(from, to);
  if (!isTabular(block.slice(from, to), lines, channels)) return [];
  const heads = new Set(lines.slice(0, headsOf(lines)));
  const rows = joinedRows(lines, heads, across);
  return rows.length < MIN_ROWS ? [] : written(rows, { across, heads, isRuled: false });
}

/** Whether a line has text in its first column only, as a title above a table or text below it. */
const isTitle = (line: CellRow): boolean => filledOf(line).every((at) => at === 0);

const isMultiAt = (pieces: readonly Piece[], channels: readonly number[]): number =>
  new Set(pieces.map(({ x0, x1 }) => channels.filter((x) => x < (x0 + x1) / 2).length)).size;

/** The rows of a table, without columns that are blank. The first column is the one that its readers begin with. */
function written(
  rows: readonly CellRow[],
  { across, heads, isRuled }: { across: readonly Rule[]; heads: ReadonlySet<CellRow>; isRuled: boolean },
): Run[] {
  placeHeader(rows, rows.filter((row) => heads.has(row)).length, across);
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
    const runs = [...new Set(cells.flat(2).map((run) => run.whole ?? run))];
    const [first] = runs;
    if (first === undefined) return [];
    const lines = kept.map((at) => (cells[at] ?? []).map((line) => withoutLeader(textOfRuns(line))));
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
