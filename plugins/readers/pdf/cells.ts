import type { Row } from './columns.ts';
import { textOfRuns } from './lines.ts';
import type { Run } from './page.ts';
import type { Rule } from './rules.ts';

/** A line of text, divided at wide gaps. */
export interface TextLine {
  readonly pieces: readonly Piece[];
  readonly row: Row;
}

export interface Piece {
  readonly runs: Run[];
  readonly x0: number;
  x1: number;
}

/** A line of text by columns, or several lines that are one row. */
export interface CellRow {
  readonly cells: Run[][][];
  readonly base: number;
  last: number;
  readonly size: number;
}

/** Font sizes: gaps that may be between columns beside numbers or rules, in a fixed-pitch font, and elsewhere. */
const MIN_GAP = 0.5;
const MIN_GAP_MONO = 1;
export const WIDE_GAP = 0.9;
const MIN_CHANNEL = 0.3;
/** Share of lines that may cross a gap between columns, such as header cells, and gaps of which a drawing has more. */
const MAX_CROSSING = 0.1;
const MAX_CHANNELS = 100;
export const NUMBER =
  /^[-+\u2013\u2212(<>~*$\u20ac\u00a3\u00a5\s]*(?:\d[\d.,:/\s%)*+\u2013-]*|[-\u2013\u2014]+\)?|n\/?a)[a-z*\u2020]?$/i;
const BEGINS_NUMBER = /^[\s$\u20ac\u00a3\u00a5(<>~+\u2010-\u2015\u2212-]*(?:\d|$|n\/?a\b)/i;
const ENDS_NUMBER = /(?:\d[\s%)*\u2020]*|^[\s%)*\u2010-\u2015\u2212-]*|^n\/?a)$/i;
const SIGN = /^(?:[$\u20ac\u00a3\u00a5]|US\$)\s*\(?$/;
const BULLET = /^[\u00b7\u2022\u25aa\u25cf\u25a0\uf0b7\uf0a7]$/;
/** The marker of an item of a list. */
export const MARK =
  /^\s*(?:[\u00b7\u2022\u25aa\u25cf\u25cb\u25a0\uf0b7\uf0a7*\u2013-]|\(?(?:[\dA-Za-z]{1,3}|[ivx]{1,5})[.):]|\[\d{1,3}\]|\d{1,2}(?:\.\d{1,2})+\.?)\s*$/;
const CLOSING = /^[)%\]]+$/;
export const BEGINS_WITHIN = /^[\p{Ll}(&,;]/u;

export function textLinesOf(rows: readonly Row[], isRuled = false): TextLine[] {
  return rows.map((row) => {
    const pieces: Piece[] = [];
    const isMono = row.runs.every((run) => run.isMono);
    for (const run of row.runs) {
      const last = pieces.at(-1);
      const space = last === undefined ? Infinity : (run.x0 - last.x1) / row.size;
      // What is beside a gap matters only if the gap is neither narrow nor wide.
      const isOfLast =
        last !== undefined &&
        (space < MIN_GAP ||
          (space < MAX_GAP && (space < leastGap(last, run, isRuled, isMono) || belongs(last, run, space))));
      if (isOfLast && run.row === undefined) {
        last.runs.push(run);
        last.x1 = Math.max(last.x1, run.x1);
      } else pieces.push({ runs: [run], x0: run.x0, x1: run.x1 });
    }
    return { pieces: isRuled ? pieces : withMarker(pieces), row };
  });
}

/** An item of a list is one piece with its marker, which a tab may divide. */
function withMarker(pieces: Piece[]): Piece[] {
  const [marker, text, ...others] = pieces;
  if (marker === undefined || text === undefined || others.length > 0) return pieces;
  if (!MARK.test(textOfRuns(marker.runs)) || NUMBER.test(textOfRuns(text.runs).trim())) return pieces;
  return [{ runs: [...marker.runs, ...text.runs], x0: marker.x0, x1: text.x1 }];
}

/** Font sizes beyond which a gap is between two cells. */
const MAX_GAP = 12;

/** Font sizes of the least gap between two cells. */
function leastGap(last: Piece, run: Run, isRuled: boolean, isMono: boolean): number {
  if (isMono) return MIN_GAP_MONO;
  const isNarrow = isRuled || BEGINS_NUMBER.test(run.text) || ENDS_NUMBER.test(last.runs.at(-1)?.text ?? '');
  return isNarrow ? MIN_GAP : WIDE_GAP;
}

/** Whether a sign, a bullet or a bracket is beside what it belongs to. */
function belongs({ runs }: Piece, run: Run, space: number): boolean {
  const [first] = runs;
  if (runs.length === 1 && isSign(first)) return true;
  if (space < 3 && isBullet(runs.at(-1)) && !isBullet(run)) return true;
  return space < 2 * MIN_GAP && isClosing(run);
}

const isSign = (run: Run | undefined): boolean => SIGN.test(run?.text.trim() ?? '');
const isBullet = (run: Run | undefined): boolean => BULLET.test(run?.text.trim() ?? '');
const isClosing = ({ text }: Run): boolean => CLOSING.test(text.trim());

const pieceText = ({ runs }: Piece): string => textOfRuns(runs).trim();

/** Whether all but the first of several pieces are years. */
export const hasYears = ({ pieces: [, ...others] }: TextLine): boolean =>
  others.length > 1 && others.every((piece) => YEAR.test(pieceText(piece)));

/** Whether a line has numbers that are not years, after its first piece. */
export const isNumeric = ({ pieces }: TextLine): boolean =>
  pieces.some((piece, at) => {
    const text = pieceText(piece);
    return (at > 0 || pieces.length === 1) && NUMBER.test(text) && !YEAR.test(text);
  });

export const isMulti = ({ pieces }: TextLine): boolean => pieces.length > 1;

/**
 * Where columns are divided: gaps that persist down the lines. A line counts by its pieces, since one that crosses gaps, as a
 * header does, has few.
 *
 * @param least lines with text on both sides, and pieces of a column
 * @param crossing share of what may cross a gap
 */
export function channelsOf(lines: readonly TextLine[], least: number, crossing = MAX_CROSSING): number[] {
  const multi = lines.filter(isMulti);
  const size = multi.map(({ row }) => row.size).sort((a, b) => a - b)[multi.length >> 1] ?? 0;
  const edges: { x: number; covering: number; gaps: number }[] = [];
  const centers: number[] = [];
  let most = 0;
  for (const { pieces } of multi) {
    most += crossing * pieces.length;
    for (const [at, { x0, x1 }] of pieces.entries()) {
      edges.push({ x: x0, covering: pieces.length, gaps: at > 0 ? -1 : 0 });
      edges.push({ x: x1, covering: -pieces.length, gaps: at + 1 < pieces.length ? 1 : 0 });
      centers.push((x0 + x1) / 2);
    }
  }
  edges.sort((a, b) => a.x - b.x || a.covering - b.covering);
  centers.sort((a, b) => a - b);
  const found: Channel[] = [];
  let open: Channel | undefined;
  let [covering, gaps] = [0, 0];
  for (const [index, edge] of edges.entries()) {
    covering += edge.covering;
    gaps += edge.gaps;
    const [x0, x1] = [edge.x, edges[index + 1]?.x ?? edge.x];
    if (covering > most || gaps < least) open = undefined;
    else if (open === undefined) {
      open = { x0, x1, from: x0, to: x1, gaps };
      found.push(open);
    } else {
      open.to = x1;
      if (gaps > open.gaps) Object.assign(open, { x0, x1, gaps });
      else if (gaps === open.gaps && x0 <= open.x1) open.x1 = x1;
    }
  }
  return apart(
    found.filter(({ from, to }) => to - from >= MIN_CHANNEL * size),
    centers,
    least,
  );
}

/** A gap, and the part of it that most lines have. */
interface Channel {
  x0: number;
  x1: number;
  readonly from: number;
  to: number;
  gaps: number;
}

/** The middles of channels with a column between them: of those without, the one that most lines have. */
function apart(channels: readonly Channel[], centers: readonly number[], least: number): number[] {
  const kept: (Channel & { middle: number; before: number })[] = [];
  let before = 0;
  for (const channel of channels) {
    const middle = (channel.x0 + channel.x1) / 2;
    while ((centers[before] ?? Infinity) < middle) before++;
    const last = kept.at(-1);
    if (last === undefined || before - last.before >= least) kept.push({ ...channel, middle, before });
    else if (channel.gaps > last.gaps) kept[kept.length - 1] = { ...channel, middle, before };
  }
  return kept.length > MAX_CHANNELS ? [] : kept.map(({ middle }) => middle);
}

/** Characters of the same width: in a fixed-pitch font, and those of numbers. */
const NUMBERS = /^[\d\s.,()%$\u2010-\u2013\u2212-]+$/;

/** Divides a run at the spaces nearest to channels, if its characters are of the same width. */
function parts(run: Run, channels: readonly number[]): Run[] {
  const inner = channels.filter((x) => x > run.x0 + run.size && x < run.x1 - run.size);
  const text = run.text.trimEnd();
  if (inner.length === 0 || !(run.isMono || NUMBERS.test(text))) return [run];
  const width = (run.x1 - run.x0) / text.length;
  const found: Run[] = [];
  let from = 0;
  const add = (to: number): void => {
    const part = text.slice(from, to);
    const begin = from + part.length - part.trimStart().length;
    const [x0, x1] = [run.x0 + begin * width, run.x0 + (from + part.trimEnd().length) * width];
    found.push({ ...run, text: part.trim(), x0, x1, whole: run });
    from = to;
  };
  for (const x of inner) {
    const at = Math.round((x - run.x0) / width);
    const space = [0, -1, 1, -2, 2].map((step) => at + step).find((one) => text[one] === ' ' && one > from);
    if (space !== undefined) add(space);
  }
  if (found.length === 0) return [run];
  add(text.length);
  return found;
}

/** Puts the pieces of a line into columns; one over several columns is in the first. */
export function cellRow(line: TextLine, channels: readonly number[]): CellRow {
  const { row } = line;
  const pieces = line.pieces.map(({ runs }) => ({ runs: runs.flatMap((run) => parts(run, channels)) }));
  const columns = new Map<Run, number>();
  for (const { runs } of pieces) {
    let column = 0;
    for (const [at, run] of runs.entries()) {
      const gap = run.x0 - (runs[at - 1]?.x1 ?? -Infinity);
      // A currency sign belongs to the number at its right, a bracket or percent sign to that at its left.
      const { x0, x1 } = isSign(run) ? (runs[at + 1] ?? run) : run;
      const own = channels.filter(
        (x) =>
          x <
          (run.whole !== undefined
            ? (x0 + x1) / 2
            : at === 0
              ? Math.max(x0, Math.min(x0 + row.size, x1))
              : x0),
      ).length;
      const isParted =
        own > column && (gap > MIN_CHANNEL * row.size || run.whole !== undefined) && !isClosing(run);
      if (at === 0 || isParted) column = own;
      columns.set(run, column);
    }
  }
  return cellRowBy(row, channels.length + 1, (run) => columns.get(run) ?? 0, [...columns.keys()]);
}

export function cellRowBy(
  row: Row,
  count: number,
  columnOf: (run: Run) => number,
  runs: readonly Run[] = row.runs,
): CellRow {
  const cells: Run[][][] = Array.from({ length: count }, () => []);
  for (const run of runs) {
    const cell = cells[columnOf(run)];
    if (cell?.[0] === undefined) cell?.push([run]);
    else cell[0].push(run);
  }
  return { cells, base: row.base, last: row.base, size: row.size };
}

export const cellText = (cell: readonly Run[][]): string => cell.map(textOfRuns).join(' ').trim();
/** Lines of a cell that is a number. */
const MAX_LINES_OF_NUMBER = 3;
export const isNumber = (cell: readonly Run[][]): boolean =>
  cell.length <= MAX_LINES_OF_NUMBER && NUMBER.test(cellText(cell));
export const filledOf = ({ cells }: CellRow): number[] =>
  [...cells.keys()].filter((at) => cells[at]?.length !== 0);
const numbersOf = (row: CellRow): number[] => filledOf(row).filter((at) => isNumber(row.cells[at] ?? []));

export function joinRow(row: CellRow, next: CellRow): CellRow {
  for (const [at, cell] of next.cells.entries()) for (const line of cell) row.cells[at]?.push(line);
  row.last = next.last;
  return row;
}

/** Whether lines of a cell between rules on all sides are rows: numbers are below numbers, or there is space between them. */
export function hasRows(lines: readonly CellRow[]): boolean {
  const numeric = lines.filter((line) => numbersOf(line).length > 1);
  const shared = numeric.filter((line, at) => {
    const before = numbersOf(numeric[at - 1] ?? line);
    return at > 0 && numbersOf(line).filter((column) => before.includes(column)).length > 1;
  });
  if (shared.length > 0) return true;
  const distances = lines.slice(1).map(({ base }, at) => base - (lines[at]?.base ?? 0));
  const usual = distances.toSorted((a, b) => a - b)[(distances.length - 1) >> 1] ?? Infinity;
  return lines.some((line, at) => {
    const own = filledOf(line);
    return own[0] === 0 && own.length > 1 && (distances[at - 1] ?? 0) > 1.4 * usual;
  });
}

/** How many lines at the beginning are of the header: those before numbers that are not years. */
export function headsOf(lines: readonly CellRow[]): number {
  return Math.max(lines.findIndex(isOfBody), 0);
}

/** Whether a line has numbers that are not years. */
export const isOfBody = (line: CellRow): boolean =>
  numbersOf(line).some((at) => at > 0 && !YEAR.test(cellText(line.cells[at] ?? [])));
const YEAR = /^(?:1[89]|20)\d\d(?:[\u2010-\u2013/-]\d{2,4})?[*a-z]?$/;

/** Joins lines that continue the row before, or begin that after. @param heads those of the header @param across the rules of the page */
export function joinedRows(
  lines: readonly CellRow[],
  heads: ReadonlySet<CellRow>,
  across: readonly Rule[],
): CellRow[] {
  const usual = usualDistance(lines);
  const rows: CellRow[] = [];
  for (const line of lines) {
    const last = rows.at(-1);
    const isJoined: boolean =
      last !== undefined && (heads.has(line) ? isWrapped(last, line, across) : continues(last, line, usual));
    if (isJoined && last !== undefined) joinRow(last, line);
    else rows.push(line);
  }
  return rows;
}

export interface Extent {
  readonly x0: number;
  readonly x1: number;
}

export const extentOf = (runs: readonly Run[]): Extent => ({
  x0: runs.reduce((least, { x0 }) => Math.min(least, x0), Infinity),
  x1: runs.reduce((most, { x1 }) => Math.max(most, x1), -Infinity),
});

/** A rule below a header cell over several columns; undefined if there is none, or the text is underlined. @param most where it is at most */
export function ruleBelow(
  cell: readonly Run[][],
  across: readonly Rule[],
  most = Infinity,
): Rule | undefined {
  const [last] = cell.at(-1) ?? [];
  if (last === undefined) return undefined;
  const { x0, x1 } = extentOf(cell.flat());
  const [middle, { base, size }] = [(x0 + x1) / 2, last];
  return across.find(
    ({ at, from, to }) =>
      at > base - 0.2 * size &&
      at < Math.min(base + 1.3 * size, most) &&
      from < middle &&
      to > middle &&
      to - from > x1 - x0 + 0.5 * size,
  );
}

/** Whether a line of the header continues the cells above it: its cells are below them. One over several columns is not. */
function isWrapped(row: CellRow, line: CellRow, across: readonly Rule[]): boolean {
  if (line.base - row.last > 1.7 * line.size) return false;
  const [own, before] = [filledOf(line), filledOf(row)];
  const shared = own.filter((at) => before.includes(at));
  if (shared.length < Math.min(own.length, before.length)) return false;
  if (numbersOf(line).some((at) => isNumber(row.cells[at] ?? []))) return false;
  return shared.every((at) => {
    if (ruleBelow(row.cells[at] ?? [], across, line.base - 0.5 * line.size) !== undefined) return false;
    const [above, below] = [row.cells[at]?.at(-1) ?? [], line.cells[at]?.[0] ?? []];
    const [a0, a1, b0, b1] = [
      above[0]?.x0 ?? 0,
      above.at(-1)?.x1 ?? 0,
      below[0]?.x0 ?? 0,
      below.at(-1)?.x1 ?? 0,
    ];
    return Math.min(Math.abs(a0 - b0), Math.abs(a1 - b1), Math.abs(a0 + a1 - b0 - b1) / 2) < 0.6 * line.size;
  });
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

function continues(row: CellRow, line: CellRow, usual: number): boolean {
  const [own, before] = [filledOf(line), filledOf(row)];
  const distance = line.base - row.last;
  const numbers = numbersOf(line);
  if (distance > 1.7 * line.size || distance > 1.15 * usual) return false;
  if (numbers.some((at) => at > 0 && isNumber(row.cells[at] ?? []))) return false;
  const isClose = distance < 0.85 * usual;
  const isWithin = own.every((at) => before.includes(at));
  if (numbers.length > 0 && !(own.length === 1 && own[0] === 0)) return false;
  if (own[0] === 0 && own.length > 1 && !isClose) return false;
  if (own[0] === 0 && own.length === 1 && !isClose)
    return before.length > 1 && BEGINS_WITHIN.test(cellText(line.cells[0] ?? []));
  return isWithin || (isClose && own[0] !== 0);
}

export const least = (numbers: readonly number[]): number =>
  numbers.reduce((a, b) => Math.min(a, b), Infinity);
