import { withoutLeader } from './characters.ts';
import type { Line } from './lines.ts';
import { isHeading, isSameBlock } from './roles.ts';

/** Lines that belong together. */
export interface Paragraph {
  readonly lines: Line[];
  heading?: Heading;
}

/** What makes a paragraph a heading. */
export interface Heading {
  /** From 1. */
  readonly level: number;
  readonly source: 'tag' | 'bookmark' | 'numbering' | 'style';
  /** From 0 to 1. */
  readonly confidence: number;
}

/** Headings with less confidence are bold text, which is not a parent of what follows. */
const CERTAIN = 0.6;

export const isCertain = (heading: Heading | undefined): heading is Heading =>
  heading !== undefined && heading.confidence >= CERTAIN;

const BOLD = /bold|black|heavy|demi|cmbx|cmssbx|sfbx|(?:-|,)bd?\b|\bB\b/i;

/** Whether the name of a font is that of a bold one. */
export const isBold = (font: string): boolean => BOLD.test(font);

/** The name of a font without the mark of a subset and its handle, which differ from page to page. */
export const fontName = (font: string): string => font.replace(/^[A-Z]{6}\+|(?<=\S) \d+$/g, '');

interface Column {
  readonly left: number;
  readonly right: number;
  /** Distance between the base lines of neighbouring lines, as a multiple of the font size. */
  readonly leading: number;
}

export const BULLET =
  /^(?:[\u2022\u2023\u25e6\u25aa\u25cf\u25a0\u25cb\u2043\u2219\u00b7\uf0b7\uf0a7\u27a2\u2713\u2714]|[-\u2013\u2014*](?=\s))\s*/;
const NUMBER = /^(?:\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\(?[ivx]{1,5}[.)])\s/;
const OPEN_END = /[a-z,;\u2010\u00ad-]$/;
const DIVIDED = /\p{L}[-\u2010\u00ad]$/u;
/** The label of a reference, from which its lines hang. */
const REFERENCE = /^\[[^\]\s]{1,12}\]\s/;
/** Characters at the end of a line in which an entry's number is searched. */
const MAX_ENTRY_END = 30;
const SENTENCE_END = /[.!?:;\u3002\uff01\uff1f)"\u201d]$/;
const SMALL_BEGIN = /^[\p{Ll}\p{N}(]/u;
const USUAL_LEADING = 1.25;
/** The distance between base lines of neighbouring lines, in font sizes. */
const LEADINGS = { least: 0.8, most: 3 };

/** Groups consecutive lines. A paragraph may continue in the next column or page. */
export function paragraphsOf(all: readonly Line[]): Paragraph[] {
  const lines = withoutTitleRows(all);
  const columns = new Map<string, Column>();
  const keyOf = ({ page, column, turns }: Line) => `${page} ${column} ${turns}`;
  for (const [key, group] of Map.groupBy(lines, keyOf)) columns.set(key, columnOf(group));
  const points = pointsOf(lines);
  const paragraphs: Paragraph[] = [];
  for (const [index, line] of lines.entries()) {
    const last = lines[index - 1];
    const column = columns.get(keyOf(line));
    const isPoint = points.has(line);
    if (last !== undefined && column !== undefined && !isPoint && goesOn(last, line, column))
      paragraphs.at(-1)?.lines.push(line);
    else paragraphs.push({ lines: [line] });
  }
  return paragraphs;
}

/** Makes lines of the rows that are headings above or between the parts of a table: one cell, in larger letters. */
function withoutTitleRows(lines: readonly Line[]): readonly Line[] {
  const sizes = Map.groupBy(
    lines.filter(({ row }) => row !== undefined),
    ({ row }) => row?.table,
  );
  const usual = new Map(
    Array.from(sizes, ([table, rows]) => [
      table,
      quantile(
        rows.map(({ size }) => size),
        0.5,
      ) ?? 0,
    ]),
  );
  return lines.map((line, at) => {
    if (line.row === undefined) return line;
    const filled = line.row.cells.filter(({ length }) => length > 0).map((cell) => cell.join(' '));
    const ratio = line.size / (usual.get(line.row.table) || 1);
    const isOneText = filled.length === 1 || (filled.length === 2 && LABEL_OF_TITLE.test(filled[0] ?? ''));
    const isWithin = line.row.table.isRuled && line.row.table === lines[at - 1]?.row?.table;
    const isTitle = !isWithin && isOneText && (ratio > 1.12 || (isBold(line.font) && ratio > 1.04));
    return isTitle ? { ...line, row: undefined, cells: 1, text: filled.join(' ') } : line;
  });
}

const LABEL_OF_TITLE = /^(?:\d{1,3}(?:\.\d{1,3})*\.?|\p{L}+ [\dA-Z]{1,3})$/u;

const LABEL = /^(\(?)(\d{1,3}|[a-z]|[ivx]{1,5})([.)])\s/i;
/** Lines after a point in which the next one is searched. */
const MAX_LINES_OF_POINT = 30;

/** Lines that begin points of a list: their labels count up, at the same distance from the left. */
function pointsOf(lines: readonly Line[]): ReadonlySet<Line> {
  const points = new Set<Line>();
  const open: { line: Line; index: number; next: readonly string[] }[] = [];
  for (const [index, line] of lines.entries()) {
    const label = LABEL.exec(line.text);
    if (label === null) continue;
    const [, opening = '', value = '', closing = ''] = label;
    const key = `${opening}${value}${closing}`;
    const before = open.findLast(
      (one) =>
        one.next.includes(key) &&
        Math.abs(one.line.x0 - line.x0) < 0.6 * line.size &&
        index - one.index < MAX_LINES_OF_POINT,
    );
    if (before !== undefined) {
      points.add(before.line);
      points.add(line);
      open.splice(open.indexOf(before), 1);
    }
    open.push({ line, index, next: successorsOf(value).map((one) => `${opening}${one}${closing}`) });
    if (open.length > MAX_LINES_OF_POINT) open.shift();
  }
  return points;
}

const ROMAN = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x', 'xi', 'xii'];

function successorsOf(value: string): string[] {
  if (/\d/.test(value)) return [`${Number(value) + 1}`];
  const isUpper = value === value.toUpperCase();
  const roman = ROMAN.indexOf(value.toLowerCase());
  const found = roman === -1 ? [] : [ROMAN[roman + 1] ?? ''];
  if (value.length === 1) found.push(String.fromCharCode(value.toLowerCase().charCodeAt(0) + 1));
  return found.map((one) => (isUpper ? one.toUpperCase() : one));
}

function columnOf(lines: readonly Line[]): Column {
  const gaps: number[] = [];
  for (const [index, line] of lines.entries()) {
    const last = lines[index - 1];
    if (last === undefined || Math.abs(line.size - last.size) >= 0.5) continue;
    const gap = (line.base - last.base) / line.size;
    if (gap > LEADINGS.least && gap < LEADINGS.most) gaps.push(gap);
  }
  return {
    left:
      quantile(
        lines.map(({ x0 }) => x0),
        0.2,
      ) ?? 0,
    right:
      quantile(
        lines.map(({ x1 }) => x1),
        0.8,
      ) ?? 0,
    leading: quantile(gaps, 0.3) ?? USUAL_LEADING,
  };
}

const quantile = (numbers: readonly number[], share: number): number | undefined =>
  Float64Array.from(numbers).sort()[Math.floor(numbers.length * share)];

/** Font sizes between the edges of columns of two parts of a table. */
const SAME_EDGE = 2;

/** Whether lines are rows of one table, which may go on at the top of the next page. */
function isNextRow(last: Line, line: Line): boolean {
  const [a, b] = [last.row?.table, line.row?.table];
  if (a === undefined || b === undefined || last.turns !== line.turns) return false;
  if (a === b) return true;
  const isAligned = a.lefts.every((x, at) => Math.abs(x - (b.lefts[at] ?? Infinity)) < SAME_EDGE * line.size);
  return last.page + 1 === line.page && a.columns === b.columns && a.isRuled === b.isRuled && isAligned;
}

function goesOn(last: Line, line: Line, column: Column): boolean {
  if (last.isFigure || line.isFigure) return false;
  if (last.row !== undefined || line.row !== undefined) return isNextRow(last, line);
  const isElsewhere = last.page !== line.page || last.column !== line.column;
  if (last.block !== undefined && line.block !== undefined) {
    const isParted = last.page !== line.page && last.block.role === line.block.role && !isHeading(line.block);
    return isSameBlock(last.block, line.block) || (isParted && runsOn(last, line));
  }
  if (last.turns !== line.turns) return false;
  const isOfTitle = isInTitle(last, line);
  if (!isOfTitle && Math.abs(last.size - line.size) > 0.08 * Math.max(last.size, line.size) + 0.3)
    return false;
  if (BULLET.test(line.text) || (NUMBER.test(line.text) && !OPEN_END.test(last.text.slice(-1)))) return false;
  return isElsewhere ? runsOn(last, line) : isNext(last, line, column);
}

/** Whether a word continues on the next line. */
const isDivided = (last: Line, line: Line): boolean =>
  DIVIDED.test(last.text.slice(-2)) && /^\p{Ll}/u.test(line.text);

/** Whether a sentence continues in the next column or on the next page. */
const runsOn = (last: Line, line: Line): boolean =>
  Math.abs(last.size - line.size) < 0.3 &&
  !isOtherWeight(last, line) &&
  OPEN_END.test(last.text.slice(-1)) &&
  SMALL_BEGIN.test(line.text);

/** Whether one of two lines is bold, as a heading that is set close to its text. */
const isOtherWeight = (last: Line, line: Line): boolean =>
  last.isOneFont && line.isOneFont && isBold(last.font) !== isBold(line.font);

const CODE = /courier|mono|consol|typewriter/i;

/** Whether two lines are bold, and words of code, which are smaller, make up most of one of them. */
const isInTitle = (last: Line, line: Line): boolean =>
  isBold(last.font) &&
  isBold(line.font) &&
  CODE.test(last.font) !== CODE.test(line.font) &&
  Math.min(last.size, line.size) > 0.7 * Math.max(last.size, line.size);

const LABELLED = /^[A-Z]{0,3}\d{1,3}(?:\.\d{1,3})+[.:)]?(?:\s|$)/;

/** Whether two lines are those of a heading and a text, which differ a little. */
const isOtherStyle = (last: Line, line: Line): boolean =>
  last.isOneFont &&
  line.isOneFont &&
  (Math.abs(last.size - line.size) > 0.4 ||
    (last.color !== line.color && (last.font !== line.font || Math.abs(last.size - line.size) > 0.1)));

/** Whether a line ends with a leader and a page number. */
function isEntry({ text }: Line): boolean {
  const end = text.slice(-MAX_ENTRY_END);
  const name = end.replace(PAGE_NUMBER, '');
  return name !== end && withoutLeader(name) !== name;
}

const PAGE_NUMBER = /\s*\d{1,4}$/;

function isNext(last: Line, line: Line, { left, right, leading }: Column): boolean {
  if (isEntry(last)) return false;
  const em = Math.max(last.size, line.size);
  const gap = (line.base - last.base) / em;
  if (gap > leading * 1.25 + 0.1 || gap < 0) return false;
  if ((last.isMono && line.isMono) || isDivided(last, line)) return true;
  if (isOtherWeight(last, line)) return false;
  if (last.cells > 1 || line.cells > 1) return last.cells > 1 && line.cells > 1;
  if (line.isRightToLeft) {
    const isIndented = line.x1 < last.x1 - 1.2 * em && line.x1 < right - em;
    return !isIndented && last.x0 <= left + 4 * em;
  }
  const isShort = last.x1 < right - Math.max(4 * em, 0.15 * (right - left));
  const hangs = BULLET.test(last.text) || NUMBER.test(last.text) || REFERENCE.test(last.text);
  const isIndented = !hangs && line.x0 > last.x0 + 0.9 * em && line.x0 > left + 0.9 * em;
  if (isIndented && !/[a-z,]$/.test(last.text.slice(-1))) return false;
  const isShorter = isShort || last.x1 < line.x1 - Math.max(4 * em, 0.15 * (line.x1 - left));
  const isAfterBold = last.isOneFont && isBold(last.font) && !isBold(line.font);
  if (isShorter && (isAfterBold || isOtherStyle(last, line) || LABELLED.test(line.text))) return false;
  if (!isShort) return true;
  if (isBold(last.font) && isBold(line.font) && SMALL_BEGIN.test(line.text))
    return !/[.:;!?]$/.test(last.text.slice(-1));
  const isOtherFont = line.isOneFont && fontName(line.font) !== fontName(last.font);
  return !isOtherFont && !SENTENCE_END.test(last.text.slice(-1));
}
