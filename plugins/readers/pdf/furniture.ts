import { type Line, mostFrequent } from './lines.ts';
import { fontName, isBold } from './paragraphs.ts';
import { isHeading } from './roles.ts';

/** How far from the top or bottom of a page headers and footers are, as a fraction of the page. */
const EDGE = 0.12;
const MIN_PAGES = 3;
const MAX_PAGES = 6;
const SHARE_OF_PAGES = 0.3;
/** Points within which lines of two pages are at the same height. */
const SAME_HEIGHT = 3;
/** Font sizes within which lines are at one height. */
const SAME_ROW = 0.7;
/** Distance to the body, in font sizes and in usual distances of the page: lines of a paragraph or a table are closer. */
const MIN_DISTANCE = 1.6;
const MIN_DISTANCES = 1.3;
/** Distances of a page, of which fewer have no usual one. */
const MIN_USUAL = 5;
/** Font sizes above the usual size: larger ones are those of headings, slightly larger ones possibly. */
const MAX_SIZE = 1.25;
const LARGER = 1.05;
const SMALLER = 0.95;
/** Share of pages that have a header in larger letters: titles of slides repeat, but not on most of them. */
const SHARE_OF_LARGER = 0.6;
/** Share of pages on which a number must count up with the pages: some files have pages that are numbered otherwise. */
const MIN_COUNTING = 0.8;
/** Share of the pages with a header on which it is beside a line that others do not have: more have labels of titles. */
const MAX_LABELS = 0.5;
/** Share of the pages with a header on which it is apart from the body. */
const MIN_APART = 0.3;
/** Share of pages whose body may reach to the height of a header. */
const MAX_REACHING = 0.3;
/** Lines set as the body that are a stanza or a paragraph. */
const MIN_OF_PARAGRAPH = 3;
/** Difference between a number in a phrase and the number of its page. */
const MAX_OFFSET = 20;
/** Words of a phrase, or its size, with which the number may be any: short ones are those of bills and exercises. */
const MIN_WORDS = 6;
const TINY = 0.75;

/** A line that may be a header or footer. */
interface Candidate {
  readonly line: Line;
  readonly isTop: boolean;
  readonly isApart: boolean;
  /** The lines next to it that are at its height. */
  readonly beside: readonly Line[];
  /** The text without the number of the page, and the height. */
  readonly key: string;
  /** The number of the page; undefined if the line has none. */
  readonly number: number | undefined;
  /** The line has nothing but this number. */
  readonly isAlone: boolean;
}

/** The usual style of a file. */
interface Usual {
  readonly size: number;
  readonly font: string;
}

/**
 * Finds headers and footers: lines at the edge of pages that other pages have at the same height, with the same text but for
 * the number of the page. They are apart from the body on most pages, whose bodies do not reach their height, and they are
 * neither headings nor rows. Margin stamps run upright along an edge.
 */
export function findFurniture(pages: readonly (readonly Line[])[], usualSize: number): ReadonlySet<Line> {
  const found = findStamps(pages);
  const filled = pages.filter(({ length }) => length > 0).length;
  if (filled < MIN_PAGES) return found;
  const usual = { size: usualSize, font: usualFontOf(pages) };
  const candidates = pages.flatMap((lines) => candidatesOf(lines, usual));
  const least = Math.max(MIN_PAGES, Math.min(SHARE_OF_PAGES * pages.length, MAX_PAGES));
  const groups = [...Map.groupBy(candidates, ({ key }) => key).values()]
    .flatMap(alike)
    .filter((group) => pagesOf(group) >= least);
  const grouped = new Set(groups.flat().map(({ line }) => line));
  const apart = candidates.filter(({ isApart }) => isApart).map(({ line }) => line);
  const isReached = reachOfBodies(pages, new Set([...apart, ...grouped]));
  const isLabel = ({ beside }: Candidate) => beside.some((line) => !grouped.has(line));
  const byText = Map.groupBy(candidates, ({ line }) => line.text);
  for (const group of groups) {
    const [{ line, isTop, number }] = group as [Candidate];
    const isTitle = number === undefined && line.size > LARGER * usual.size;
    const onPages = pagesOf(group.filter(({ isApart }) => isApart));
    if (onPages < Math.max(least, MIN_APART * pagesOf(group)) || isReached(line, isTop)) continue;
    if (number === undefined && group.filter(isLabel).length > MAX_LABELS * group.length) continue;
    if (isTitle && pagesOf(byText.get(line.text) ?? []) < SHARE_OF_LARGER * filled) continue;
    for (const { line } of counting(group)) found.add(line);
  }
  // A number alone is that of the page if the others of the file count up with it, whatever their height.
  const numbers = candidates.filter(({ line, isApart, isAlone }) => isApart && isAlone && !found.has(line));
  if (numbers.length >= least && countsUp(numbers)) for (const { line } of counting(numbers)) found.add(line);
  return found;
}

const pagesOf = (group: readonly Candidate[]): number => new Set(group.map(({ line }) => line.page)).size;

/** Lines whose numbers count up are alike, else only those with the same text. */
const alike = (group: Candidate[]): Candidate[][] =>
  countsUp(group) ? [group] : [...Map.groupBy(group, ({ line }) => line.text).values()];

function usualFontOf(pages: readonly (readonly Line[])[]): string {
  const characters = new Map<string, number>();
  for (const { font, text } of pages.flat())
    characters.set(fontName(font), (characters.get(fontName(font)) ?? 0) + text.length);
  return mostFrequent(characters) ?? '';
}

/** A page with more upright lines has no stamp. */
const MAX_STAMPS = 20;
/** Form of a stamp: it has a year or an identifier. */
const STAMP = /^(?=.*\p{L})(?=.*\d{4}).{1,100}$/u;

/**
 * Text that is a stamp on one page is the same stamp on all pages, however little else they have. One line with a year or an
 * identifier is one, and what several pages have; others are credits of pictures or labels of axes.
 */
function findStamps(pages: readonly (readonly Line[])[]): Set<Line> {
  const keyOfStamp = ({ turns, text }: Line) => `${turns} ${text.replace(/\d+/g, '#')}`;
  const onPages = new Map<string, number>();
  const stamps = new Set<string>();
  for (const lines of pages) {
    const own = stampsOf(lines);
    for (const key of new Set(own.map(keyOfStamp))) onPages.set(key, (onPages.get(key) ?? 0) + 1);
    for (const line of own) {
      const isOne =
        own.length <= MAX_STAMPS &&
        own.every((one) => one === line || one.turns !== line.turns || isFar(one, line));
      const isRepeated = /\p{L}/u.test(line.text) && onPages.get(keyOfStamp(line)) === MIN_PAGES;
      if (isRepeated || (isOne && STAMP.test(line.text))) stamps.add(keyOfStamp(line));
    }
  }
  return new Set(pages.flat().filter((line) => isAtSide(line) && stamps.has(keyOfStamp(line))));
}

const isFar = (a: Line, b: Line): boolean =>
  Math.abs(a.base - b.base) > 2 * Math.max(a.size, b.size) || a.x1 < b.x0 - a.size || b.x1 < a.x0 - a.size;

/** Upright text beside the body, such as the stamp of arXiv, where most text runs to the right. */
function stampsOf(lines: readonly Line[]): Line[] {
  const upright = lines.filter(isAtSide);
  if (upright.length === 0) return [];
  const across = lines.filter(({ turns, isFigure }) => turns === 0 && !isFigure);
  const lefts = across.map(({ x0 }) => x0).sort((a, b) => a - b);
  const rights = across.map(({ x1 }) => x1).sort((a, b) => a - b);
  const width = across.length === 0 ? 0 : widthOf(across[0] as Line);
  const left = (lefts[Math.floor(OUTER_LINES * lefts.length)] ?? 0) / width;
  const right = (rights[Math.floor((1 - OUTER_LINES) * rights.length)] ?? 0) / width;
  const characters = new Map<number, number>();
  for (const { turns, text } of lines) characters.set(turns, (characters.get(turns) ?? 0) + text.length);
  const most = charactersOf(lines) / 5;
  return upright.filter(({ turns, box }) => {
    const isBeside = box !== undefined && (box[2] <= left || box[0] >= right);
    return isBeside && (characters.get(turns) ?? 0) < most;
  });
}

/** Share of a page's lines that may reach into its margin. */
const OUTER_LINES = 0.1;

const isAtSide = ({ turns, isFigure, box }: Line): boolean =>
  turns % 2 === 1 && !isFigure && box !== undefined && (box[2] < EDGE || box[0] > 1 - EDGE);

/** The width of the page of a line that runs across it. */
const widthOf = ({ x1, box }: Line): number => x1 / Math.max(box?.[2] ?? 1, 0.01);

const charactersOf = (lines: readonly Line[]): number =>
  lines.reduce((sum, { text }) => sum + text.length, 0);

/** The lines at the edges of a page that may be headers or footers. */
function candidatesOf(lines: readonly Line[], usual: Usual): Candidate[] {
  const down = across(lines).sort((a, b) => a.base - b.base);
  const distances = down.slice(1).map(({ base }, index) => base - (down[index]?.base ?? 0));
  const sorted = distances.filter((distance) => distance > 1).sort((a, b) => a - b);
  const distance = sorted.length < MIN_USUAL ? 0 : MIN_DISTANCES * (sorted[sorted.length >> 1] ?? 0);
  return [true, false].flatMap((isTop) => {
    const inwards = isTop ? down : down.toReversed();
    const end = inwards.findIndex(({ box }) =>
      isTop ? (box?.[1] ?? 1) >= EDGE : (box?.[3] ?? 0) <= 1 - EDGE,
    );
    const atEdge = inwards.slice(0, end === -1 ? undefined : end);
    const apart = countApart(atEdge, inwards[atEdge.length], usual, distance);
    return atEdge
      .map((line, index) => ({
        ...{ line, isTop, isApart: index < apart, ...identityOf(line, isTop, usual) },
        beside: [inwards[index - 1], inwards[index + 1]].filter(
          (one) => one !== undefined && Math.abs(one.base - line.base) < SAME_ROW * line.size,
        ) as Line[],
      }))
      .filter(({ line }, index) => mayBe(line, inwards[index + 1], usual));
  });
}

const across = (lines: readonly Line[]): Line[] =>
  lines.filter(({ turns, isFigure, box }) => turns === 0 && !isFigure && box !== undefined);

/** How many lines, from the edge inwards, are apart from the next one. A stanza or a table ends them. */
function countApart(lines: readonly Line[], after: Line | undefined, usual: Usual, least: number): number {
  let end = 0;
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1] ?? after;
    if (isHeadOfTable(line, next)) break;
    const distance = next === undefined ? Infinity : Math.abs(next.base - line.base);
    const nextSize = Math.min(next?.size ?? 0, usual.size);
    const factor = line.size < TINY * nextSize ? MIN_DISTANCES : MIN_DISTANCE;
    if (distance <= Math.max(factor * Math.max(line.size, nextSize), least)) continue;
    const block = lines.slice(end, index + 1);
    if (block.filter((line) => isLikeBody(line, usual)).length >= MIN_OF_PARAGRAPH) break;
    end = index + 1;
  }
  return end;
}

const mayBe = (line: Line, next: Line | undefined, usual: Usual): boolean =>
  line.size <= MAX_SIZE * usual.size && !isHeading(line.block) && !isHeadOfTable(line, next);

/** Whether a line is a row, or the names of the columns above one. */
const isHeadOfTable = (line: Line, next: Line | undefined): boolean =>
  line.row !== undefined || (line.cells > 2 && !/\d/.test(line.text) && (next?.cells ?? 0) > 1);

const isLikeBody = ({ size, font }: Line, usual: Usual): boolean =>
  Math.abs(size - usual.size) < 0.5 && fontName(font) === usual.font;

/** Where the bodies of pages begin and end. @returns whether too many reach to the height of a line */
function reachOfBodies(
  pages: readonly (readonly Line[])[],
  candidates: ReadonlySet<Line>,
): (line: Line, isTop: boolean) => boolean {
  const bodies = pages.map((lines) => across(lines).filter((line) => !candidates.has(line)));
  const filled = bodies.filter(({ length }) => length > 0);
  const tops = filled.map((lines) => lines.reduce((top, { base }) => Math.min(top, base), Infinity));
  const ends = filled.map((lines) => lines.reduce((end, { base }) => Math.max(end, base), -Infinity));
  // The height that this many bodies reach over.
  const allowed = Math.floor(MAX_REACHING * filled.length);
  const top = tops.sort((a, b) => a - b)[allowed] ?? Infinity;
  const end = ends.sort((a, b) => b - a)[allowed] ?? -Infinity;
  return ({ base }, isTop) => (isTop ? top < base - SAME_HEIGHT : end > base + SAME_HEIGHT);
}

const NUMBER = '(\\d{1,6}|[ivxlc]{1,7})';
const TOTAL = '(?:\\s*(?:/|of|out of|von|de|sur|di|van|av|af|z|\u0438\u0437|/)\\s*\\d+)?';
const WORDS =
  'pages?|pp?\\.?|pg\\.?|seite|s\\.|p\u00e1g(?:ina)?\\.?|pagina|sid[ae]|sivu|side|blad(?:zijde)?|strona|str\\.|\u0441\u0442\u0440(?:\\.|\u0430\u043d\u0438\u0446\u0430)|sayfa|oldal|slide|folie';
/** Forms of a page's number in a stretch of a line: alone, with the letter of an appendix, after its name, stamped with zeros. */
const ALONE = new RegExp(`^[-\u2013\u2014\\s([|]*${NUMBER}${TOTAL}[-\u2013\u2014\\s)\\]|.]*$`, 'id');
const APPENDIX = /^[a-z]{1,3}\s?[-\u2013.]\s?(\d{1,4})$/di;
const NAMED = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${WORDS})[\\s.:#]*${NUMBER}${TOTAL}\\s*[)\\]|.\u2013-]*$`,
  'iud',
);
const NAMED_FIRST = new RegExp(`^(?:${WORDS})[\\s.:#]*${NUMBER}${TOTAL}(?![\\p{L}\\p{N}.,])`, 'iud');
const STAMPED = /^[A-Z][A-Z_.-]{0,20}[ _-]?(0\d{4,})$/d;
/** The first or last word of a stretch, which is the page's number only in small or other letters. */
const FIRST = /^(\d{1,4})(?=\s)/d;
const LAST = /(?<=\s)(\d{1,4})$/d;
/** Parts a line into stretches. */
const PART = /\t| {2,}|\s[|\u00b7\u2022\u25aa\u2013\u2014/-]\s/g;
/** Longer stretches are not searched for a page's number. */
const MAX_STRETCH = 200;

/** What lines of other pages must share with a line. */
function identityOf(
  { text, page, size, font, base }: Line,
  isTop: boolean,
  usual: Usual,
): Pick<Candidate, 'key' | 'number' | 'isAlone'> {
  const isOther = fontName(font) !== usual.font && !isBold(font);
  const isSubdued = size < SMALLER * usual.size || isOther;
  const isTiny = size < TINY * usual.size;
  const height = `${isTop}${Math.round(base / SAME_HEIGHT)}`;
  const isLikely = ({ isPhrased, value, words }: PageNumber) =>
    !isPhrased || isTiny || (isSubdued && (words >= MIN_WORDS || Math.abs(value - page) <= MAX_OFFSET));
  const [number] = stretchesOf(text)
    .flatMap(([from, to]) => numbersIn(text.slice(from, to), from, isTop))
    .filter(isLikely)
    .sort((a, b) => Number(a.isPhrased) - Number(b.isPhrased) || distance(a, page) - distance(b, page));
  if (number === undefined) return { key: `${height} ${text}`, number: undefined, isAlone: false };
  const rest = [text.slice(0, number.start), text.slice(number.end)];
  const isAlone = !/[\p{L}\p{N}]/u.test(rest.join(''));
  return { key: `${height} ${isAlone ? '' : rest.join('#')}`, number: number.value, isAlone };
}

/** A number in a line that may be that of the page. */
interface PageNumber {
  readonly value: number;
  readonly start: number;
  readonly end: number;
  /** It is the first or last word of a phrase, of so many words. */
  readonly isPhrased: boolean;
  readonly words: number;
}

const distance = ({ value }: PageNumber, page: number): number => Math.abs(value - page);

function stretchesOf(text: string): [from: number, to: number][] {
  let from = 0;
  return [...text.matchAll(PART), undefined].map((part) => {
    const stretch: [number, number] = [from, part?.index ?? text.length];
    from = stretch[1] + (part?.[0].length ?? 0);
    return stretch;
  });
}

/** @param from where the stretch begins in its line */
function numbersIn(stretch: string, from: number, isTop: boolean): PageNumber[] {
  if (stretch.length > MAX_STRETCH) return [];
  const words = stretch.split(' ').length;
  const found = (form: RegExp, isPhrased: boolean): PageNumber[] => {
    const [start, end] = form.exec(stretch)?.indices?.[1] ?? [0, 0];
    const value = numberOf(stretch.slice(start, end));
    return end === 0 ? [] : [{ start: from + start, end: from + end, value, isPhrased, words }];
  };
  const forms = [ALONE, APPENDIX, NAMED, NAMED_FIRST, ...(isTop ? [] : [STAMPED])];
  const [sure] = forms.flatMap((form) => found(form, false));
  return sure === undefined ? [FIRST, LAST].flatMap((form) => found(form, true)) : [sure];
}

/** Whether the numbers count up with the pages. A part of a file may begin its numbers again. */
const countsUp = (group: readonly Candidate[]): boolean =>
  group.slice(1).filter((one, index) => follows(one, group[index])).length >=
  MIN_COUNTING * (group.length - 1);

/** Those whose number fits to that of the page before or after: others may be content at the same place. */
const counting = (group: readonly Candidate[]): Candidate[] =>
  group.length === 1
    ? [...group]
    : group.filter((one, index) => follows(one, group[index - 1]) || follows(group[index + 1], one));

const follows = (one: Candidate | undefined, before: Candidate | undefined): boolean =>
  one !== undefined &&
  before !== undefined &&
  (one.number === before.number ||
    (one.number ?? 0) - (before.number ?? 0) === one.line.page - before.line.page);

const ROMAN: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };

function numberOf(written: string): number {
  if (/\d/.test(written)) return Number(written);
  const digits = [...written.toLowerCase()].map((letter) => ROMAN[letter] ?? 0);
  return digits.reduce((sum, digit, index) => sum + (digit < (digits[index + 1] ?? 0) ? -digit : digit), 0);
}
