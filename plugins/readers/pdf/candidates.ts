import { LEADER } from './characters.ts';
import { type Line, mostFrequent } from './lines.ts';
import { BULLET, fontName, type Paragraph } from './paragraphs.ts';

/** A paragraph that has the form of a heading. */
export interface Candidate {
  readonly paragraph: Paragraph;
  readonly first: Line;
  readonly text: string;
  readonly size: number;
  /** Size, font and color: headings of one level share them. */
  readonly style: string;
  readonly features: Features;
}

/** What speaks for a heading or against it: 1 if it is so. */
export type Features = Readonly<Record<string, number>>;

/** What is known of a file before its headings are. */
interface Surroundings {
  readonly paragraphs: readonly Paragraph[];
  readonly texts: readonly string[];
  readonly size: number;
  /** The share of the text in each font, from 0 to 1. */
  readonly fonts: ReadonlyMap<string, number>;
  /** The one of most text. */
  readonly style: string;
  readonly styleOf: (line: Line) => string;
  /** What is known of all paragraphs of a style. */
  readonly styles: ReadonlyMap<string | undefined, Features>;
  /** Entries of a printed table of contents. */
  readonly contents: ReadonlySet<string>;
  /** Lines of the table of contents. */
  readonly entries: ReadonlySet<Line>;
}

export const MAX_LENGTH = 200;
export const MAX_LINES = 4;
const OTHER_ROLES = /^(?:LI|TD|TH|TR|Table|Caption|Note|TOCI|Figure|Formula|Code)$/;
const CAPTION =
  /^(?:fig(?:ure|\.)?|table|tab\.|abb(?:ildung|\.)?|tabelle|chart|exhibit|box|listing|scheme|plate)\s*[\dIVX]/i;
const DATE =
  /^(?:\p{L}+,? )?(?:\d{1,2}(?:st|nd|rd|th)?\.? )?(?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}*\.?,? ?(?:\d{1,2},? )?\d{2,4}$/iu;
const ADDRESS = /@|https?:|www\.|\b(?:tel|fax|phone|isbn|issn|doi)\b/i;
const FORMULA = /[=\u2211\u222b\u221a\u2264\u2265\u2248\u00d7\u2192\u2208\u2200\u2203]/;
/** A sentence or an expression may end so, but no heading. */
const OPEN_END =
  /(?:[.,;\u2026\u2013\u2014-]|(?<!\p{L})(?:a|an|the|of|and|or|to|in|for|with|by|on|at|from|that|is|are|as|der|die|das|und|oder|von|mit|de|la|le|et|du|des|y|del))$/u;
const FRAGMENT = /^(?:\(.*\)$|\p{Ll}+(?:$|[\s,.;])|[^\p{L}\p{N}[("'\u201c\u2018\u00bf])/u;
/** Reports print figures in large letters. */
const FIGURE = /^\d[\d,.]*\+?\s?(?:%|(?:million|billion|pence|bn)\b)/i;
const PART = /^(?:chapter|section|part|article|appendix|annex|schedule|item)\s+[\dA-Z]/i;
const SUBSECTION = /^(?:\d{1,2}|[A-Z])(?:\.\d{1,2})+[.):]?\s/;
const CODE = /^\[?[A-Z]{1,5}-?\d+\]?[:. -]/;
/** The name and the page of an entry of contents. */
const ENTRY = /^(\S.*?)(?:\s*(?:\.\s?){3,}|\s*\u2026+|\s)\s*(\d{1,4})$/;
const MIN_ENTRIES = 5;

const rounded = (size: number): number => Math.round(size * 2) / 2;
export const textOf = ({ lines }: Paragraph): string =>
  lines
    .map(({ text }) => text)
    .join(' ')
    .replaceAll('\t', ' ')
    .trim();
/** A title without its number, case and punctuation, for comparison. */
export const plain = (title: string): string =>
  title
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^(?:(?:chapter|section|part|article|appendix)\s)?[\d.\s]+|[^\p{L}\p{N}]/gu, '');
const faceOf = ({ size, font }: Line): string => `${rounded(size)} ${fontName(font)}`;

/** Bullets, parts of sentences, formulas, captions, dates and addresses have another form. */
function hasForm({ lines }: Paragraph, text: string): boolean {
  const isMarkedRow = lines.length === 1 && /^(?:\w+ )?\S{1,10}\t[^\t]+$/.test(lines[0]?.text ?? '');
  return (
    lines.length <= MAX_LINES &&
    text.length <= MAX_LENGTH &&
    (isMarkedRow || lines.every(({ cells }) => cells === 1)) &&
    lines.every(({ isFigure, turns }) => !isFigure && turns === 0) &&
    /\p{L}/u.test(text) &&
    ![BULLET, CAPTION, DATE, ADDRESS, FORMULA, FIGURE, OPEN_END, FRAGMENT].some((pattern) =>
      pattern.test(text),
    )
  );
}

/** @param marked paragraphs that are headings whatever their form: bookmarks name them, or they label parts */
export function candidatesOf(
  paragraphs: readonly Paragraph[],
  isTagged: boolean,
  marked: ReadonlySet<Paragraph>,
): Candidate[] {
  const around = surroundingsOf(paragraphs);
  return paragraphs.flatMap((paragraph, index) => {
    const [first] = paragraph.lines;
    const text = around.texts[index] ?? '';
    const role = first?.block?.role;
    const isOther = role !== undefined && (isTagged || OTHER_ROLES.test(role));
    if (first === undefined || first.row || paragraph.heading || isOther) return [];
    if (!marked.has(paragraph) && !hasForm(paragraph, text)) return [];
    const style = around.styleOf(first);
    const features = { ...around.styles.get(style), ...featuresOf(around, index, text) };
    return [{ paragraph, first, text, size: rounded(first.size), style, features }];
  });
}

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
export const greatest = (numbers: readonly number[]): number =>
  numbers.reduce((most, one) => Math.max(most, one), 0);
const MAX_LENGTH_OF_LABEL = 120;

function surroundingsOf(paragraphs: readonly Paragraph[]): Surroundings {
  const texts = paragraphs.map(textOf);
  const lines = paragraphs.flatMap(({ lines }) => lines);
  const count = <Key>(keyOf: (line: Line) => Key): Map<Key, number> => {
    const characters = new Map<Key, number>();
    for (const line of lines) {
      const key = keyOf(line);
      characters.set(key, (characters.get(key) ?? 0) + line.text.length);
    }
    return characters;
  };
  const fonts = count(({ font }) => fontName(font));
  const all = sum([...fonts.values()]);
  const styleOf = stylesOf(lines);
  const styles = new Map<string | undefined, Features>();
  const last = greatest(lines.map(({ page }) => page));
  const indexes = Map.groupBy(
    paragraphs.keys(),
    (index) => paragraphs[index]?.lines.slice(0, 1).map(styleOf)[0],
  );
  for (const [style, members] of indexes) {
    const own = members.map((index) => texts[index] ?? '');
    const lengths = own.map(({ length }) => length);
    styles.set(style, {
      long: sum(lengths.filter((length) => length > MAX_LENGTH_OF_LABEL)) / (sum(lengths) || 1),
      spread: new Set(members.map((index) => paragraphs[index]?.lines[0]?.page)).size / last,
      repeated: 1 - new Set(own.map((text) => plain(text.slice(0, MAX_LENGTH)))).size / own.length,
    });
  }
  return {
    paragraphs,
    texts,
    size: mostFrequent(count(({ size }) => rounded(size))) || 1,
    fonts: new Map(Array.from(fonts, ([font, characters]) => [font, characters / all])),
    style: mostFrequent(count(styleOf)) ?? '',
    styleOf,
    styles,
    ...contentsOf(lines),
  };
}

/** Names styles: a line in several colors has the usual one of its size and font. */
function stylesOf(lines: readonly Line[]): (line: Line) => string {
  const colors = new Map<string, Map<number, number>>();
  for (const line of lines) {
    const ofFace = colors.get(faceOf(line)) ?? new Map<number, number>();
    colors.set(faceOf(line), ofFace);
    if (line.color !== undefined) ofFace.set(line.color, (ofFace.get(line.color) ?? 0) + line.text.length);
  }
  const usual = new Map(Array.from(colors, ([face, ofFace]) => [face, mostFrequent(ofFace)]));
  return (line) => `${faceOf(line)} ${line.color ?? usual.get(faceOf(line))}`;
}

/** A printed table of contents: a stretch of lines that end with page numbers that rise. */
function contentsOf(lines: readonly Line[]): Pick<Surroundings, 'contents' | 'entries'> {
  const contents = new Set<string>();
  const entries = new Set<Line>();
  let open: { readonly key: string; readonly page: number; readonly line: Line }[] = [];
  let misses = 0;
  const flush = (): void => {
    for (const { key, line } of open.length >= MIN_ENTRIES ? open : []) {
      contents.add(key);
      entries.add(line);
    }
    open = [];
  };
  for (const line of lines) {
    const cells = line.row?.cells.map((cell) => cell.join(' ')).filter((cell) => cell !== '');
    const whole = (cells?.join(' ') ?? line.text).slice(0, MAX_LENGTH);
    const [, name = '', number] = (/\d$/.test(whole.slice(-1)) && ENTRY.exec(whole)) || [];
    const [key, page, last] = [plain(name), Number(number), open.at(-1)?.page];
    const isEntry = key.length >= 2 && page > 0;
    const goesOn = isEntry && page >= (last ?? 0) && page <= (last ?? page) + 60;
    if (goesOn || (isEntry && open.length < 2)) {
      // A year above the contents is not an entry.
      if (!goesOn) open = [];
      open.push({ key, page, line });
      misses = 0;
    } else if (++misses > 3) flush();
  }
  flush();
  return { contents, entries };
}

function featuresOf({ paragraphs, texts, ...usual }: Surroundings, index: number, text: string): Features {
  const { lines } = paragraphs[index] as Paragraph;
  const [first, last] = [lines[0] as Line, lines.at(-1) as Line];
  const [before, next] = [paragraphs[index - 1]?.lines.at(-1), paragraphs[index + 1]?.lines[0]];
  const isShort = (at: number, most: number) =>
    paragraphs[at] !== undefined && !paragraphs[at].lines[0]?.row && (texts[at] ?? '').length < most;
  const gap = (a: Line | undefined, b: Line | undefined) =>
    a !== undefined && b !== undefined && a.page === b.page && a.column === b.column
      ? (b.base - a.base) / first.size
      : Infinity;
  const isFar = (at: number) => gap(paragraphs[at]?.lines.at(-1), paragraphs[at + 1]?.lines[0]) > 2.4;
  /** Whether it is a name with a role and a firm below it, which end the text above: no heading comes after them. */
  const isSigned = (): boolean => {
    if (before?.page !== first.page || isShort(index - 1, 60) || isFar(index)) return false;
    const end = [index + 1, index + 2, index + 3].find(isFar);
    if (end === undefined) return false;
    const below = paragraphs.slice(index + 1, end + 1);
    if (!below.every((_, more) => isShort(index + 1 + more, 60))) return false;
    const [after, at] = [paragraphs[end + 1], paragraphs[end + 1]?.lines[0]];
    const isLast = at?.page !== first.page;
    return isLast
      ? below.flatMap(({ lines }) => lines).length > 1
      : at?.row !== undefined || !hasForm(after as Paragraph, texts[end + 1] ?? '');
  };
  const isRow = (one: Line | undefined, line: Line) =>
    one !== undefined &&
    (one.cells > 1 || one.row !== undefined) &&
    one.page === line.page &&
    Math.abs(one.base - line.base) < 2.5 * line.size;
  const key = plain(text);
  const isLarger = rounded(first.size) / usual.size >= 1.04;
  const features = {
    usual: usual.styleOf(first) === usual.style,
    larger: isLarger,
    capitals: !isLarger && text.length > 3 && text === text.toUpperCase() && text !== text.toLowerCase(),
    otherFont: (usual.fonts.get(fontName(first.font)) ?? 0) < 0.12,
    mixed: lines.some(({ isOneFont }) => !isOneFont),
    mono: lines.every(({ isMono }) => isMono),
    white: first.color === 0xffffff,
    part: PART.test(text),
    subsection: SUBSECTION.test(text),
    code: CODE.test(text),
    lines: lines.length > 1,
    colon: /:$/.test(text),
    sentence: text.length > 60,
    apart: gap(before, first) > 1.6,
    farFromNext: isFar(index),
    signed: isSigned(),
    beforeShort: isShort(index + 1, 40),
    afterSame: before !== undefined && usual.styleOf(before) === usual.styleOf(first),
    belowRow: isRow(before, first),
    aboveRow: isRow(next, last),
    firstPage: first.page === 1,
    inContents: usual.contents.has(key),
    contents:
      LEADER.test((texts[index + 1] ?? '').slice(0, MAX_LENGTH)) ||
      (next !== undefined && usual.entries.has(next) && first.page < 20),
  };
  return Object.fromEntries(Object.entries(features).map(([name, value]) => [name, Number(value)]));
}
