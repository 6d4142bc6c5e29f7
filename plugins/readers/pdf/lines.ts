import { addToRow, columnsOf, isBeside, type Row, rowWith } from './columns.ts';
import {
  type Box,
  boxOf,
  type Page,
  type Run,
  slanted,
  type TableRow,
  type Turnable,
  turnedBack,
} from './page.ts';
import { type Block, isHeading } from './roles.ts';

/** A line of text, in the coordinates of its runs. */
export interface Line extends Turnable {
  readonly text: string;
  readonly base: number;
  readonly size: number;
  /** The font of most of its characters, and whether it is the only one. */
  readonly font: string;
  readonly isOneFont: boolean;
  /** Its color, if it has only one; 0 is black. */
  readonly color: number | undefined;
  /** The number of stretches with wide gaps between them; a row of a table has several. */
  readonly cells: number;
  readonly isRightToLeft: boolean;
  readonly isMono: boolean;
  readonly block: Block | undefined;
  readonly page: number;
  readonly turns: number;
  /** The column of the page, or the stretch drawn from its top to its bottom. */
  readonly column: number;
  readonly box: Box | undefined;
  /** Whether it is the description of a picture. */
  readonly isFigure: boolean;
  /** The row of a table that it is. */
  readonly row?: TableRow | undefined;
  /** From 0 to 1, of text that was recognized in a picture. */
  readonly confidence?: number | undefined;
}

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;
const WORD = /[\p{L}\p{N}]/u;
const LETTER = /\p{L}/u;
/** Scripts without spaces between words. */
export const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;
/** A bullet or number, which may have a wide gap after it. */
const MARK = /^\s*[\u2022\u25aa\u25cf\uf0b7-]$|^\(?[\dA-Za-z]{1,3}[.)]$/;
const MAX_MARK_LENGTH = 6;

/** The lines of a page in reading order, beginning with the direction that has most text. */
export function linesOf(page: Page): Line[] {
  const lines: Line[] = [];
  const lineOfRun = new Map<Run, Line>();
  const groups = [...page.runs].sort(([, a], [, b]) => charactersOf(b) - charactersOf(a));
  for (const [turns, runs] of groups)
    for (const [column, rows] of inOrder(runs).entries())
      for (const row of rows.flatMap(atHeadings)) {
        const line = lineOf(row, { page, turns, column });
        if (line.text === '') continue;
        lines.push(line);
        for (const run of row.runs) for (const one of run.row?.runs ?? [run]) lineOfRun.set(one, line);
      }
  // Rows of tables beside each other, or beside text, stay together.
  const together = [...Map.groupBy(lines, (line) => line.row?.table ?? line).values()].flat();
  return withFigures(together, page, lineOfRun);
}

/** Divides a row at headings of a tagged file: a heading may be on one line with a paragraph. */
function atHeadings(row: Row): Row[] {
  const rows: Row[] = [];
  for (const run of row.runs) {
    const [last] = rows.at(-1)?.runs ?? [];
    const isParted =
      last?.row !== run.row ||
      (last?.block !== run.block && (isHeading(last?.block) || isHeading(run.block)));
    if (last === undefined || isParted) rows.push(rowWith(run));
    else addToRow(rows.at(-1) as Row, run);
  }
  return rows.length === 1 ? [row] : rows;
}

const charactersOf = (runs: readonly Run[]): number => runs.reduce((sum, { text }) => sum + text.length, 0);

function withFigures(lines: Line[], page: Page, lineOfRun: ReadonlyMap<Run, Line>): Line[] {
  if (page.figures.length === 0) return lines;
  const figures = Map.groupBy(page.figures, ({ after }) => after && lineOfRun.get(after));
  const linesAfter = (before: Line | undefined): Line[] =>
    (figures.get(before) ?? []).map(({ text, box }) => ({
      text,
      x0: 0,
      x1: 0,
      y0: 0,
      y1: 0,
      base: 0,
      size: 1,
      font: '',
      isOneFont: true,
      color: 0,
      cells: 1,
      isRightToLeft: false,
      isMono: false,
      block: undefined,
      turns: 0,
      column: -1,
      isFigure: true,
      page: page.number,
      box,
    }));
  return [...linesAfter(undefined), ...lines.flatMap((line) => [line, ...linesAfter(line)])];
}

/** Uses the order in which the file draws, or geometry if that order jumps. */
function inOrder(runs: readonly Run[]): Row[][] {
  const columns = columnsOf(runs);
  const flows = flowsOf(runs);
  return isReadable(flows, columns) ? flows : columns;
}

/** Rows in the order in which the file draws them. Each list goes down the page. */
function flowsOf(runs: readonly Run[]): Row[][] {
  const rows: Row[] = [];
  for (const run of runs) {
    const row = rows.at(-1);
    const last = row?.runs.at(-1);
    const goesOn =
      row !== undefined &&
      last !== undefined &&
      isBeside(run, row) &&
      (run.x0 > last.x0 - 0.2 * run.size || RIGHT_TO_LEFT.test(run.text));
    if (goesOn) addToRow(row, run);
    else rows.push(rowWith(run));
  }
  const flows: Row[][] = [];
  for (const row of rows) {
    row.runs.sort((a, b) => a.x0 - b.x0);
    const flow = flows.at(-1);
    const last = flow?.at(-1);
    if (flow !== undefined && last !== undefined && isBelow(row, last)) flow.push(row);
    else flows.push([row]);
  }
  return flows;
}

function isBelow(row: Row, last: Row): boolean {
  const isAcross = Math.min(row.x1, last.x1) > Math.max(row.x0, last.x0);
  return (
    row.base > last.base - 0.3 * row.size && (isAcross || Math.abs(row.base - last.base) < 0.5 * row.size)
  );
}

/** Whether the file draws in reading order. Short flows are jumps, of which notes and figures cause a few. */
function isReadable(flows: readonly Row[][], columns: readonly Row[][]): boolean {
  const rows = flows.reduce((sum, flow) => sum + flow.length, 0);
  const inLong = flows.reduce((sum, flow) => sum + (flow.length >= 4 ? flow.length : 0), 0);
  if (rows > 6 && (inLong < 0.6 * rows || flows.length > columns.length + 2 + 0.25 * rows)) return false;
  if (rowsOutOfOrder(flows) >= MAX_OUT_OF_ORDER * rows) return false;
  if (rowsInPieces(flows, columns) > Math.max(MAX_IN_PIECES * rows, 2)) return false;
  if (columns.length < 2) return true;
  const columnOf = new Map<Run, Row[]>();
  for (const column of columns)
    for (const row of column) for (const run of row.runs) columnOf.set(run, column);
  let crossing = 0;
  for (const flow of flows)
    for (const { runs } of flow) {
      const [first] = runs.map((run) => columnOf.get(run));
      if (runs.some((run) => columnOf.get(run) !== first)) crossing++;
    }
  return crossing <= 0.1 * rows;
}

/** Share of rows whose pieces are drawn far from each other, such as all numbers of a list after its entries. */
const MAX_IN_PIECES = 0.1;

function rowsInPieces(flows: readonly Row[][], columns: readonly Row[][]): number {
  const flowOf = new Map<Run, Row[]>();
  for (const flow of flows) for (const { runs } of flow) for (const run of runs) flowOf.set(run, flow);
  const isInPieces = ({ runs }: Row) => {
    const [first] = runs;
    return first !== undefined && runs.some((run) => flowOf.get(run) !== flowOf.get(first));
  };
  return columns.flat().filter(isInPieces).length;
}

/** Share of rows in stretches that are drawn after what is below them; headers and footers are few. */
const MAX_OUT_OF_ORDER = 0.15;

/** Rows of stretches that are above the one drawn before, in the same column. */
function rowsOutOfOrder(flows: readonly Row[][]): number {
  let rows = 0;
  for (const [index, flow] of flows.entries()) {
    const before = flows[index - 1];
    if (before === undefined) continue;
    const [first, last] = [before[0], flow.at(-1)];
    if (first === undefined || last === undefined || last.base >= first.base) continue;
    const shared = Math.min(first.x1, last.x1) - Math.max(first.x0, last.x0);
    const narrower = Math.min(first.x1 - first.x0, last.x1 - last.x0);
    if (shared > 0.5 * narrower) rows += Math.min(flow.length, before.length);
  }
  return rows;
}

interface Position {
  readonly page: Page;
  readonly turns: number;
  readonly column: number;
}

function lineOf(row: Row, { page, turns, column }: Position): Line {
  const isRightToLeft = runsFromRight(row.runs);
  const { text, cells } = joined(isRightToLeft ? fromRight(row.runs) : row.runs, isRightToLeft);
  const fonts = new Map<string, number>();
  let y0 = Infinity;
  let y1 = -Infinity;
  for (const run of row.runs) {
    fonts.set(run.font, (fonts.get(run.font) ?? 0) + run.text.length);
    y0 = Math.min(y0, run.y0);
    y1 = Math.max(y1, run.y1);
  }
  const extent = { x0: row.x0, x1: row.x1, y0, y1 };
  return {
    ...extent,
    text,
    base: row.base,
    size: row.size,
    font: mostFrequent(fonts) ?? '',
    isOneFont: fonts.size === 1,
    color: row.runs.every(({ color }) => color === row.runs[0]?.color) ? row.runs[0]?.color : undefined,
    cells: row.runs[0]?.row?.cells.length ?? cells,
    row: row.runs[0]?.row,
    isRightToLeft,
    isMono: row.runs.every(({ isMono }) => isMono),
    block: row.runs[0]?.block,
    page: page.number,
    turns,
    column,
    box: boxOf(slanted(turnedBack(extent, turns, page), page), page),
    confidence: confidenceOf(row.runs),
    isFigure: false,
  };
}

/** The mean confidence of recognized texts, by their length; undefined if one was not recognized. */
export function confidenceOf(texts: readonly Pick<Line, 'text' | 'confidence'>[]): number | undefined {
  let [sum, length] = [0, 0];
  for (const { text, confidence } of texts) {
    if (confidence === undefined) return undefined;
    sum += confidence * text.length;
    length += text.length;
  }
  return Math.round((100 * sum) / Math.max(length, 1)) / 100;
}

/** The key with the largest number. */
export function mostFrequent<Key>(counts: ReadonlyMap<Key, number>): Key | undefined {
  let best: Key | undefined;
  for (const [key, count] of counts) if (best === undefined || count > (counts.get(best) ?? 0)) best = key;
  return best;
}

/** Whether most letters are of a script that is read from right to left. */
export function runsFromRight(runs: readonly Run[]): boolean {
  if (!runs.some(({ text }) => RIGHT_TO_LEFT.test(text))) return false;
  let balance = 0;
  for (const { text } of runs) {
    for (const sign of text) {
      if (RIGHT_TO_LEFT.test(sign)) balance++;
      else if (/\p{L}/u.test(sign)) balance--;
    }
  }
  return balance > 0;
}

/** Runs from right to left, but numbers and Latin words among them from left to right. */
function fromRight(runs: readonly Run[]): Run[] {
  const ordered: Run[] = [];
  let others: Run[] = [];
  const flush = (): void => {
    const isTurned = others.some(({ text }) => WORD.test(text));
    for (const run of isTurned ? others.reverse() : others) ordered.push(run);
    others = [];
  };
  for (const run of runs.toReversed()) {
    if (!RIGHT_TO_LEFT.test(run.text)) {
      others.push(run);
      continue;
    }
    flush();
    ordered.push(run);
  }
  flush();
  return ordered;
}

/** The text of runs side by side, in one cell. */
export function textOfRuns(runs: readonly Run[]): string {
  if (runs.length === 1) return (runs[0] as Run).text.trim().replaceAll('\t', ' ');
  const isRightToLeft = runsFromRight(runs);
  return joined(isRightToLeft ? fromRight(runs) : runs, isRightToLeft).text.replaceAll('\t', ' ');
}

/** The text of a row: a space where runs are apart, a tab where they are far apart. */
function joined(runs: readonly Run[], isRightToLeft: boolean): { text: string; cells: number } {
  const spacing = letterSpacing(runs);
  if (spacing !== undefined) return { text: withoutLetterSpaces(runs, spacing), cells: 1 };
  const parts: string[] = [];
  let cells = 1;
  let length = 0;
  let last: Run | undefined;
  for (const run of runs) {
    const gap = last === undefined ? undefined : gapBetween(last, run, isRightToLeft);
    const isAfterMark = length <= MAX_MARK_LENGTH && MARK.test(parts.join(''));
    const separator = gap === '\t' && isAfterMark ? ' ' : (gap ?? '');
    if (separator === '\t') {
      cells++;
      parts.push(parts.pop()?.trimEnd() ?? '');
    }
    parts.push(separator, separator === '\t' ? run.text.trimStart() : run.text);
    length += separator.length + run.text.length;
    last = run;
  }
  return { text: parts.join('').trim(), cells };
}

const MIN_SPACED = 4;

/** The usual gap of a line that is set with space between its letters, as some headings are. */
function letterSpacing(runs: readonly Run[]): number | undefined {
  if (runs.length < MIN_SPACED) return undefined;
  const single = runs.filter(({ text }) => /^\p{L}$/u.test(text.trim())).length;
  if (single < MIN_SPACED || single < 0.8 * runs.length) return undefined;
  const gaps = runs.slice(1).map(({ x0 }, index) => x0 - (runs[index]?.x1 ?? 0));
  const usual = gaps.sort((a, b) => a - b)[gaps.length >> 1] ?? 0;
  return usual > MIN_SPACE * (runs[0]?.size ?? 0) ? usual : undefined;
}

/** Letters whose gaps are the usual ones of the line are a word. */
function withoutLetterSpaces(runs: readonly Run[], usual: number): string {
  const parts = runs.map(({ text, x0 }, index) =>
    x0 - (runs[index - 1]?.x1 ?? x0) > 1.6 * usual ? ` ${text.trim()}` : text.trim(),
  );
  return parts.join('');
}

/** Font sizes between words. */
export const MIN_SPACE = 0.1;

function gapBetween(last: Run, run: Run, isRightToLeft: boolean): '' | ' ' | '\t' {
  const size = Math.max(run.size, last.size);
  const gap = isRightToLeft ? Math.max(last.x0 - run.x1, run.x0 - last.x1) : run.x0 - last.x1;
  if (gap > 1.6 * size) return '\t';
  const isSpaced = /\s$/.test(last.text.slice(-1)) || /^\s/.test(run.text);
  if (!isSpaced && isNextToMark(last, run)) return ' ';
  const isCjk = gap < 0.6 * size && CJK.test(last.text.slice(-1)) && CJK.test(run.text.slice(0, 1));
  return gap > MIN_SPACE * size && !isSpaced && !isCjk ? ' ' : '';
}

/** Sizes of a mark, such as that of a note, and of its text. */
const MARK_SIZE = 0.85;
const DIGITS_OF_MARK = /^(?:\d{1,3}|[*\u2020\u2021\u00a7])$/;

/** Whether one run is a raised mark before a word, or both are numbers, of which one is an exponent, index or numerator. */
function isNextToMark(last: Run, run: Run): boolean {
  const isBefore = last.size < MARK_SIZE * run.size;
  const isAtOtherHeight = Math.abs(last.base - run.base) > 0.3 * run.size;
  if (!isBefore && !isAtOtherHeight && run.size >= MARK_SIZE * last.size) return false;
  const [end, start] = [last.text.slice(-1), run.text.slice(0, 1)];
  if (/\d/.test(end) && /\d/.test(start)) return true;
  return (
    isBefore && last.base < run.base - 0.1 * run.size && DIGITS_OF_MARK.test(last.text) && LETTER.test(start)
  );
}
