import {
  BEGINS_WITHIN,
  type CellRow,
  cellText,
  filledOf,
  isMulti,
  isNumber,
  least,
  MARK,
  NUMBER,
  type TextLine,
} from './cells.ts';
import { LEADER } from './characters.ts';
import type { Run } from './page.ts';

export const MIN_ROWS = 3;
/** Rows of a table whose cells are nearly all filled. */
const FEW_ROWS = 5;
/** Font sizes between base lines that are not those of rows, and between cells that are below each other. */
const CLOSE = 0.75;
const ALIGNED = 0.6;
/** Characters of a line of text. */
const MIN_TEXT = 16;
const EQUATION = /^\(\w{1,3}(?:\.\d{1,3})*\)$/;
const FORMULA = /[=\u2211\u222b\u2264\u2265\u2208{};]/;
/** No letter, digit, dash, ditto mark or tick. */
const NO_WORD = /^[^\p{L}\p{N}\u2010-\u2015\u2212\u2022\u25cb\u25cf\u2713-\u2718\u201d"*+-]*$/u;
const INDEXED = /\p{L}, \d{1,4}$/u;
const ADDRESS = /^\S+@\S+\.\w+$/;
const LABEL = /:\s*_*$/;

/** Whether cells are those of a table, and not of a list, a form, formulas, a diagram, contents or columns of text. */
export function isTabular(
  block: readonly TextLine[],
  lines: readonly CellRow[],
  channels: readonly number[],
): boolean {
  const multi = lines.filter((line) => filledOf(line).length > 1);
  const spanning = block.filter(
    (line) => !isMulti(line) && channels.some((x) => x > line.row.x0 && x < line.row.x1),
  ).length;
  if (multi.length < MIN_ROWS || multi.length < 0.4 * lines.length || spanning > 0.3 * lines.length)
    return false;
  // Formulas and diagrams have text at any height.
  const close = block.filter(
    ({ row }, at) => at > 0 && row.base - (block[at - 1]?.row.base ?? 0) < CLOSE * row.size,
  );
  if (close.length > 0.2 * lines.length) return false;
  const isMono = block.every(({ row }) => row.runs.every((run) => run.isMono));
  return (
    isOfCells(
      multi.map((line) => line.cells.map(cellText)),
      isMono,
    ) &&
    isAligned(multi) &&
    !flowsOn(lines)
  );
}

/** Whether cells between rules without columns are those of a table, and not code or text. */
export function isOpenTable(block: readonly TextLine[], lines: readonly CellRow[]): boolean {
  const texts = lines.map(({ cells }) => cells.map(cellText));
  const isCode = texts.filter(([first = '']) => /^\d{1,3}:$/.test(first)).length > 0.5 * lines.length;
  return (
    block.some(({ row }) => row.runs.some(({ isMono }) => !isMono)) &&
    !isCode &&
    !isOfColumns(texts) &&
    isAligned(
      lines.filter((line) => filledOf(line).length > 1),
      0.5,
    ) &&
    !flowsOn(lines)
  );
}

/** Whether lines of both columns begin within sentences: so do two columns of text. */
function isOfColumns(texts: readonly (readonly string[])[]): boolean {
  const columns = texts[0]?.length ?? 0;
  const isWithin = (column: number) => {
    const own = texts.map((cells) => cells[column] ?? '').filter((text) => text !== '');
    return own.length > 6 && own.filter((text) => /^\p{Ll}/u.test(text)).length > 0.35 * own.length;
  };
  return columns === 2 && isWithin(0) && isWithin(1);
}

/** Whether cells of most columns begin below each other, have one middle, or end with numbers below each other. */
function isAligned(lines: readonly CellRow[], least = 0.7): boolean {
  const columns = [...(lines[0]?.cells.keys() ?? [])];
  const aligned = columns.filter((at) => {
    const cells = lines.flatMap(({ cells, size }) => {
      const [first, last] = [cells[at]?.[0]?.[0], cells[at]?.at(-1)?.at(-1)];
      return first === undefined || last === undefined
        ? []
        : [{ x0: first.x0, x1: digitsEnd(last), size, isNumber: isNumber(cells[at] ?? []) }];
    });
    const shareAt = (place: (one: { x0: number; x1: number }) => number) => {
      const middle = cells.map(place).sort((a, b) => a - b)[cells.length >> 1] ?? 0;
      return cells.filter((one) => Math.abs(place(one) - middle) < ALIGNED * one.size).length / cells.length;
    };
    const numbers = cells.filter((one) => one.isNumber).length;
    return (
      shareAt(({ x0 }) => x0) > 0.6 ||
      shareAt(({ x0, x1 }) => (x0 + x1) / 2) > 0.6 ||
      (numbers > 0.5 * cells.length && shareAt(({ x1 }) => x1) > 0.5)
    );
  }).length;
  return aligned >= least * columns.length;
}

/** Where the digits of a number end, before a percent sign or a bracket. */
function digitsEnd({ text, x0, x1 }: Run): number {
  const length = text.trimEnd().length;
  const after = /[^\d]*$/.exec(text.trimEnd())?.[0].length ?? 0;
  return after === length ? x1 : x1 - ((x1 - x0) * after) / length;
}

/** Whether texts by rows and columns are those of cells. */
function isOfCells(texts: readonly (readonly string[])[], isMono: boolean): boolean {
  const columns = texts[0]?.length ?? 0;
  const share = (column: number, pattern: RegExp) => {
    const own = texts.map((cells) => cells[column] ?? '').filter((text) => text !== '');
    return own.filter((text) => pattern.test(text)).length / Math.max(own.length, 1);
  };
  const all = texts.flat().filter((text) => text !== '');
  const shareOf = (pattern: RegExp) => all.filter((text) => pattern.test(text)).length / all.length;
  const numeric = Array.from({ length: columns - 1 }, (_, at) => share(at + 1, NUMBER)).filter(
    (one) => one > 0.5,
  );
  const filled = all.length / (texts.length * columns);
  const axes = Array.from({ length: columns }, (_, at) => at).filter((at) => isAxis(texts, at));
  if (axes.length > 0 && numeric.length <= axes.length) return false;
  if (numeric.length === 0 && texts.some((cells) => cells.filter((text) => ADDRESS.test(text)).length > 1))
    return false;
  const isNumbered = share(0, MARK) > 0.5 || (share(0, /^\d{1,3}:?$/) > 0.8 && countUp(texts));
  if (texts.filter((cells) => LEADER.test(cells.join(' '))).length > 0.3 * texts.length && numeric.length < 2)
    return false;
  if (columns < 4 && numeric.length < 2 && isContents(texts)) return false;
  if (isNumbered && numeric.length === 0 && (columns === 2 || filled < 0.8)) return false;
  if (columns === 2 && (share(1, EQUATION) > 0.4 || share(1, /^\d{1,4}$|^[ivxl]+$/) > 0.8)) return false;
  if (columns === 2 && (shareOf(INDEXED) > 0.35 || (numeric.length === 0 && texts.length < FEW_ROWS)))
    return false;
  // Labels of a diagram are scattered.
  if (filled < (numeric.length > 0 ? 0.5 : 0.6)) return false;
  if (texts.length < FEW_ROWS && numeric.length === 0 && all.some((text) => BEGINS_WITHIN.test(text)))
    return false;
  if (texts.length < FEW_ROWS && filled < (numeric.length > 0 ? 0.8 : 0.95)) return false;
  // Words of running text may be below each other by chance.
  if (columns > 3 && shareOf(/^\p{Ll}+[,.;]?$/u) > 0.5) return false;
  if (shareOf(LABEL) > 0.3 || shareOf(FORMULA) > 0.25 || shareOf(NO_WORD) > 0.25) return false;
  return !isMono || numeric.length >= 0.4 * (columns - 1);
}

/** Whether numbers are the labels of an axis: they decrease by equal steps, apart from one of the other axis. */
function isAxis(texts: readonly (readonly string[])[], column: number): boolean {
  const numbers = texts
    .map((cells) => Number.parseFloat((cells[column] ?? '').replaceAll(',', '')))
    .filter((one) => !Number.isNaN(one));
  const steps = numbers.slice(1).map((one, at) => (numbers[at] ?? 0) - one);
  const [first = 0] = steps;
  const isYear = (numbers[0] ?? 0) > 1800 && first === 1;
  return (
    steps.length > 2 &&
    first > 0 &&
    !isYear &&
    steps.slice(0, -1).every((step) => Math.abs(step - first) < 0.01 * first)
  );
}

/** Whether rows end with page numbers, which never decrease. */
function isContents(texts: readonly (readonly string[])[]): boolean {
  const pages = texts
    .map((cells) => cells.at(-1) ?? '')
    .filter((text) => /^\d{1,4}$/.test(text))
    .map(Number);
  const rising = pages.filter((page, at) => at === 0 || page >= (pages[at - 1] ?? 0)).length;
  return (
    pages.length > 4 &&
    pages.length > 0.8 * texts.length &&
    rising > 0.95 * pages.length &&
    (pages.at(-1) ?? 0) > (pages[0] ?? 0)
  );
}

/** Whether numbers are those of lines. */
const countUp = (texts: readonly (readonly string[])[]): boolean =>
  texts
    .slice(1)
    .filter(([text = ''], at) => Number.parseInt(text, 10) === Number.parseInt(texts[at]?.[0] ?? '', 10) + 1)
    .length >
  0.6 * (texts.length - 1);

/** Whether sentences go on from line to line, although a line begins beside them: so do columns of text, and text beside a figure. */
export function flowsOn(lines: readonly CellRow[]): boolean {
  const texts = lines.map(({ cells }) => cells.map(cellText));
  const ends = lines.map(({ cells }) => cells.map((cell) => cell[0]?.at(-1)?.x1 ?? -Infinity));
  return (texts[0] ?? []).some((_, column) => {
    const right = -least(ends.map((row) => -(row[column] ?? 0)));
    let [begun, within] = [0, 0];
    for (const [at, row] of texts.entries()) {
      const [text = '', before = ''] = [row[column], texts[at - 1]?.[column]];
      const isBegun = row.some(
        (other, index) =>
          index !== column && other !== '' && !BEGINS_WITHIN.test(other) && !NUMBER.test(other),
      );
      if (text === '' || before.length < MIN_TEXT || !isBegun) continue;
      begun++;
      const isFull = (ends[at - 1]?.[column] ?? 0) > right - 4 * (lines[at]?.size ?? 0);
      if (isFull && /^\p{Ll}/u.test(text) && !/[.!?:]$/.test(before)) within++;
    }
    return within > 1 && within > 0.35 * begun;
  });
}
