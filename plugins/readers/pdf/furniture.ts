import type { Line } from './lines.ts';

/** How far from the top or bottom of a page headers and footers are, as a fraction of the page. */
const EDGE = 0.12;
const MIN_PAGES = 3;
const MAX_PAGES = 6;
const SHARE_OF_PAGES = 0.3;
/** Points within which lines of two pages are at the same height. */
const SAME_HEIGHT = 3;
const MAX_KEY_LENGTH = 200;
const PAGE_NUMBER = /^[-\u2013\s]*(?:\d{1,4}|[ivxlc]{1,7})[-\u2013\s]*$/i;
const NUMBERS = /\d+|\b[ivxlc]+\b/gi;
/** Distance to the body, in font sizes and in usual distances of the page: lines of a paragraph or a table are closer. */
const MIN_DISTANCE = 1.6;
const MIN_DISTANCES = 1.3;
/** Distances of a page, of which fewer have no usual one. */
const MIN_USUAL = 5;
/** Font sizes above the usual size are those of headings. */
const MAX_SIZE = 1.25;
/** Share of pages on which a number must count up with the pages: some files have pages that are numbered otherwise. */
const MIN_COUNTING = 0.8;

/**
 * Finds headers and footers: lines at the edge of pages that other pages have at the same height, with the same text but for
 * numbers that count up with the pages. They are apart from the body and not larger than it. Margin stamps run upright along
 * an edge.
 */
export function findFurniture(pages: readonly (readonly Line[])[], usualSize: number): ReadonlySet<Line> {
  const found = findStamps(pages);
  if (pages.length < MIN_PAGES) return found;
  const least = Math.max(MIN_PAGES, Math.min(SHARE_OF_PAGES * pages.length, MAX_PAGES));
  const candidates = pages.flatMap((lines) => atEdges(lines, usualSize));
  for (const lines of Map.groupBy(candidates, keyOf).values()) {
    if (new Set(lines.map(({ page }) => page)).size < least || !countsUp(lines)) continue;
    for (const line of lines) found.add(line);
  }
  // A number alone is a page number if the others of the file count up with it, whatever their height.
  const numbers = candidates.filter((line) => !found.has(line) && PAGE_NUMBER.test(line.text));
  if (numbers.length >= least && countsUp(numbers)) for (const line of numbers) found.add(line);
  return found;
}

/** Text that is a stamp on one page is the same stamp on all pages, however little else they have. */
function findStamps(pages: readonly (readonly Line[])[]): Set<Line> {
  const keyOfStamp = ({ turns, text }: Line) => `${turns} ${text.replace(NUMBERS, '#')}`;
  const stamps = new Set(
    pages.flatMap((lines) => lines.filter((line) => isStamp(line, lines)).map(keyOfStamp)),
  );
  const upright = pages.flat().filter(({ turns, isFigure }) => turns % 2 === 1 && !isFigure);
  return new Set(upright.filter((line) => stamps.has(keyOfStamp(line))));
}

/** Upright text along an edge, such as the stamp of arXiv, where most text runs to the right. */
function isStamp(line: Line, lines: readonly Line[]): boolean {
  if (line.turns % 2 === 0 || line.box === undefined || line.isFigure) return false;
  const isAtSide = line.box[2] < EDGE || line.box[0] > 1 - EDGE;
  if (!isAtSide) return false;
  const upright = lines.filter(({ turns }) => turns === line.turns);
  return charactersOf(lines) > 4 * charactersOf(upright);
}

const charactersOf = (lines: readonly Line[]): number =>
  lines.reduce((sum, { text }) => sum + text.length, 0);

/** The lines of a page that may be headers or footers: from each edge inwards, up to the first that is not apart from the next. */
function atEdges(lines: readonly Line[], usualSize: number): Line[] {
  const across = lines.filter(({ turns, isFigure, box }) => turns === 0 && !isFigure && box !== undefined);
  const down = across.toSorted((a, b) => a.base - b.base);
  const distances = down.slice(1).map(({ base }, index) => base - (down[index]?.base ?? 0));
  const usual = distances.filter((distance) => distance > 1).sort((a, b) => a - b);
  const distance = usual.length < MIN_USUAL ? 0 : MIN_DISTANCES * (usual[usual.length >> 1] ?? 0);
  return [
    ...outer(down, usualSize, distance, isAtTop),
    ...outer(down.toReversed(), usualSize, distance, isAtBottom),
  ];
}

const isAtTop = ({ box }: Line): boolean => box !== undefined && box[1] < EDGE;
const isAtBottom = ({ box }: Line): boolean => box !== undefined && box[3] > 1 - EDGE;

function outer(
  lines: readonly Line[],
  usualSize: number,
  least: number,
  isAtEdge: (line: Line) => boolean,
): Line[] {
  let end = 0;
  for (const [index, line] of lines.entries()) {
    if (!isAtEdge(line) || line.row !== undefined) break;
    const next = lines[index + 1];
    const distance = next === undefined ? Infinity : Math.abs(next.base - line.base);
    const size = Math.max(line.size, Math.min(next?.size ?? 0, usualSize));
    if (distance > Math.max(MIN_DISTANCE * size, least)) end = index + 1;
  }
  return lines.slice(0, end).filter(({ size }) => size <= MAX_SIZE * usualSize);
}

const keyOf = ({ base, text }: Line): string =>
  `${Math.round(base / SAME_HEIGHT)} ${text.slice(0, MAX_KEY_LENGTH).replace(NUMBERS, '#')}`;

/** Whether each number of the lines is the same on all pages, or counts up with them. */
function countsUp(lines: readonly Line[]): boolean {
  const numbers = lines.map(({ text }) => (text.match(NUMBERS) ?? []).map(numberOf));
  const count = numbers[0]?.length ?? 0;
  for (let at = 0; at < count; at++) {
    const values = numbers.map((one) => one[at] ?? Number.NaN);
    const isConstant = values.every((value) => value === values[0]);
    if (!isConstant && !countsWithPages(lines, values)) return false;
  }
  return true;
}

/** Between neighbours, page and number differ by the same; a part of a file may begin its numbers again. */
function countsWithPages(lines: readonly Line[], values: readonly number[]): boolean {
  let counting = 0;
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    if (before === undefined) continue;
    if ((values[index] ?? 0) - (values[index - 1] ?? 0) === line.page - before.page) counting++;
  }
  return lines.length > 1 && counting >= MIN_COUNTING * (lines.length - 1);
}

const ROMAN: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };

function numberOf(written: string): number {
  if (/\d/.test(written)) return Number(written);
  const digits = [...written.toLowerCase()].map((letter) => ROMAN[letter] ?? 0);
  return digits.reduce((sum, digit, index) => sum + (digit < (digits[index + 1] ?? 0) ? -digit : digit), 0);
}
