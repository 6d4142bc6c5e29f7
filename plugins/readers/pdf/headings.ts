import { findNumberedHeadings } from '../../toolkit/numbered/index.ts';
import type { Bookmark } from './bookmarks.ts';
import { type Line, mostFrequent } from './lines.ts';
import { BULLET, type Heading, isBold, isCertain, type Paragraph } from './paragraphs.ts';
import { levelOf } from './roles.ts';

/** The usual style of a file. */
interface Usual {
  readonly size: number;
  readonly font: string;
  /** The share of the text in each font, from 0 to 1. */
  readonly shares: ReadonlyMap<string, number>;
}

/** A paragraph that has the form of a heading. */
interface Candidate {
  readonly paragraph: Paragraph;
  readonly first: Line;
  readonly text: string;
  readonly size: number;
  /** The size, and whether it is bold or in capitals: headings of one level share it. */
  readonly style: string;
  readonly prominence: number;
  readonly isBeforeText: boolean;
}

const MAX_LENGTH = 200;
const MAX_LENGTH_OF_TAG = 250;
const MAX_LINES = 4;
const MAX_DEPTH = 6;
const RARE = 0.12;
/** Tags of headings around a larger share of a file's text are wrong. */
const MAX_SHARE_OF_TAGS = 0.3;
const OTHER_ROLES = /^(?:LI|TD|TH|TR|Table|Caption|Note|TOCI|Figure|Formula|Code)$/;
const CAPTION =
  /^(?:fig(?:ure|\.)?|table|tab\.|abb(?:ildung|\.)?|tabelle|chart|exhibit|box|listing|scheme|plate)\s*[\dIVX]/i;
const DATE =
  /^(?:\p{L}+,? )?(?:\d{1,2}(?:st|nd|rd|th)?\.? )?(?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}*\.?,? ?(?:\d{1,2},? )?\d{2,4}$/iu;
const ADDRESS = /@|https?:|www\.|\b(?:tel|fax|phone|isbn|issn|doi)\b/i;
const LEADERS = /(?:\.\s?){3,}|\s\d{1,4}$/;
const FORMULA = /[=\u2211\u222b\u221a\u2264\u2265\u2248\u00d7\u2192\u2208\u2200\u2203]/;
/** A sentence or an expression may end so, but no heading. */
const OPEN_END =
  /(?:[.,;:\u2026\u2013\u2014-]|\b(?:a|an|the|of|and|or|to|in|for|with|by|on|at|from|that|is|are|as|der|die|das|und|oder|von|mit|de|la|le|et|du|des|y|del))$/i;
const NUMBERED =
  /^(?:\(?(?:\d+(?:\.\d+)*|[A-Z]|[IVX]+)[.)]?|(?:chapter|section|part|article|appendix|annex)\s+\w+[.:]?)\s/i;

/**
 * Sets the headings: from the tags of the file, from its bookmarks, from numbers that form a sequence, and from the style of
 * whole lines. Signals that agree raise the confidence.
 *
 * @param title of the document's properties
 */
export function findHeadings(
  paragraphs: readonly Paragraph[],
  bookmarks: readonly Bookmark[],
  title: string | undefined,
): void {
  const usual = usualOf(paragraphs.flatMap(({ lines }) => lines));
  const isTagged = readTags(paragraphs);
  const candidates = paragraphs.flatMap((paragraph, index) => {
    const role = paragraph.lines[0]?.block?.role;
    const isOther = role !== undefined && (isTagged || OTHER_ROLES.test(role));
    return paragraph.heading || isOther ? [] : candidatesOf(paragraphs, index, usual);
  });
  const levels = new Map<Candidate, number>();
  matchBookmarks(candidates, bookmarks, levels);
  const numbered = numberedOf(paragraphs, candidates);
  const counts = Map.groupBy(
    candidates.filter(({ prominence }) => prominence > 0),
    ({ style }) => style,
  );
  const rated = new Map<Candidate, Heading>();
  for (const candidate of candidates) {
    const { prominence, style } = candidate;
    const isRepeated = (counts.get(style)?.length ?? 0) > 2;
    const byStyle = prominence + (isRepeated ? 0.1 : -0.1);
    const [known, number] = [levels.get(candidate), numbered.get(candidate)];
    const isTitle =
      title !== undefined && plain(title) === plain(candidate.text) && candidate.first.page <= 2;
    if (known !== undefined) rated.set(candidate, { level: known, source: 'bookmark', confidence: 0.95 });
    else if (number !== undefined && prominence > 0.2)
      rated.set(candidate, {
        level: number,
        source: 'numbering',
        confidence: confidence(0.5 + prominence / 2),
      });
    else if ((isTitle && prominence > 0) || prominence > 0.2)
      rated.set(candidate, { level: 0, source: 'style', confidence: isTitle ? 0.9 : confidence(byStyle) });
  }
  setLevels(rated, candidates, title);
}

/** How many headings each source has found, for a header. */
export function countSources(paragraphs: readonly Paragraph[]): string {
  const counts = new Map<string, number>();
  for (const { heading } of paragraphs) {
    if (heading === undefined) continue;
    const name = isCertain(heading) ? heading.source : 'uncertain';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return ['tag', 'bookmark', 'numbering', 'style', 'uncertain']
    .flatMap((name) => (counts.has(name) ? [`${name} ${counts.get(name)}`] : []))
    .join(', ');
}

const confidence = (value: number): number => Math.round(Math.min(Math.max(value, 0.05), 0.95) * 100) / 100;
const rounded = (size: number): number => Math.round(size * 2) / 2;
const textOf = ({ lines }: Paragraph): string =>
  lines
    .map(({ text }) => text)
    .join(' ')
    .replaceAll('\t', ' ');
/** A title without its number, case and punctuation, for comparison. */
const plain = (title: string): string =>
  title
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^(?:(?:chapter|section|part|article|appendix)\s)?[\d.\s]+|[^\p{L}\p{N}]/gu, '');
/** The name of a font without the mark of a subset and its handle, which differ from page to page. */
const fontOf = ({ font }: Line): string => font.replace(/^[A-Z]{6}\+|(?<=\S) \d+$/g, '');

/** Tags are wrong where they call most of a text, or whole paragraphs, headings. @returns whether they are right */
function readTags(paragraphs: readonly Paragraph[]): boolean {
  const tagged = paragraphs.flatMap((paragraph) => {
    const block = paragraph.lines[0]?.block;
    const level = block && levelOf(block);
    return level === undefined ? [] : [{ paragraph, level, text: textOf(paragraph) }];
  });
  const length = (texts: readonly { length: number }[]) => texts.reduce((sum, text) => sum + text.length, 0);
  const inTags = length(tagged.map(({ text }) => text));
  if (tagged.length > 1 && inTags > MAX_SHARE_OF_TAGS * length(paragraphs.map(textOf)) && inTags > 1000)
    return false;
  for (const { paragraph, level, text } of tagged) {
    const isSentence = text.length > 80 && /[.;,]$/.test(text);
    if (text.length <= MAX_LENGTH_OF_TAG && !isSentence)
      paragraph.heading = { level, source: 'tag', confidence: 1 };
  }
  return tagged.length > 0;
}

function usualOf(lines: readonly Line[]): Usual {
  const sizes = new Map<number, number>();
  const fonts = new Map<string, number>();
  let all = 0;
  for (const line of lines) {
    const { length } = line.text;
    sizes.set(rounded(line.size), (sizes.get(rounded(line.size)) ?? 0) + length);
    fonts.set(fontOf(line), (fonts.get(fontOf(line)) ?? 0) + length);
    all += length;
  }
  const shares = new Map(Array.from(fonts, ([font, count]) => [font, count / all]));
  return { size: mostFrequent(sizes) ?? 0, font: mostFrequent(fonts) ?? '', shares };
}

/** Bullets, parts of sentences, formulas, captions, dates, addresses and entries of contents have another form. */
function hasForm({ lines }: Paragraph, text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const isMarkedRow =
    lines.length === 1 && /^(?:\d+(?:\.\d+)*|[A-Z]|[IVX]+)[.)]?\t[^\t]+$/.test(lines[0]?.text ?? '');
  return (
    lines.length <= MAX_LINES &&
    text.length <= MAX_LENGTH &&
    (isMarkedRow || lines.every(({ cells }) => cells === 1)) &&
    lines.every(({ isFigure, turns, isMono }) => !isFigure && turns === 0 && !isMono) &&
    /\p{L}{2}/u.test(text) &&
    letters > 0.5 * text.replace(/\s/g, '').length &&
    !/^[\p{Ll}\p{Co}\p{So},;.:)\u2026*\u2020]/u.test(text) &&
    ![BULLET, CAPTION, DATE, ADDRESS, FORMULA, OPEN_END].some((pattern) => pattern.test(text)) &&
    !(LEADERS.test(text) && /\.\s?\.\s?\.|\t/.test(text))
  );
}

function candidatesOf(paragraphs: readonly Paragraph[], index: number, usual: Usual): Candidate[] {
  const paragraph = paragraphs[index] as Paragraph;
  const [first] = paragraph.lines;
  const text = textOf(paragraph).trim();
  if (first === undefined || text.length > MAX_LENGTH_OF_TAG) return [];
  const isForm = hasForm(paragraph, text);
  const [before, after] = [paragraphs[index - 1]?.lines.at(-1), paragraphs[index + 1]];
  const next = after?.lines[0];
  const isNear = (one: Line | undefined, line: Line) =>
    one !== undefined && one.page === line.page && Math.abs(one.base - line.base) < 2.5 * line.size;
  const isRow = (one: Line | undefined) => one !== undefined && one.cells > 1 && isNear(one, first);
  const size = rounded(first.size);
  const isLarger = size >= usual.size * 1.12 + 0.2;
  const bold =
    isBold(first.font) && !isBold(usual.font) && paragraph.lines.every((line) => isBold(line.font));
  const isRare = paragraph.lines.every(
    (line) => line.isOneFont && (usual.shares.get(fontOf(line)) ?? 0) < RARE,
  );
  const isCapital = text.length > 4 && text === text.toUpperCase() && text !== text.toLowerCase();
  const isOther = isRare && size >= usual.size - 0.6;
  const isApart =
    before === undefined ||
    before.page !== first.page ||
    before.column !== first.column ||
    first.base - before.base > 1.6 * first.size;
  const isBeforeText =
    after !== undefined &&
    textOf(after).length > 60 &&
    next !== undefined &&
    rounded(next.size) <= size &&
    !isRow(next);
  const isRowLike = isRow(before) || isRow(next);
  const isLong = text.length > 90 || paragraph.lines.length > 2;
  const prominence =
    (isLarger ? (size >= 1.3 * usual.size ? 0.5 : 0.4) : 0) +
    (bold ? 0.3 : isOther && (isCapital || NUMBERED.test(text)) ? 0.2 : isOther ? 0.1 : 0) +
    (isCapital ? 0.1 : 0) +
    (isApart ? 0.1 : -0.1) +
    (isBeforeText ? 0.15 : -0.05) -
    (isRowLike ? 0.4 : 0) -
    (isLong ? 0.2 : 0);
  const isStyled = isForm && (isLarger || bold || isOther);
  const style = `${size} ${bold ? 'b' : ''}${isCapital ? 'c' : ''}`;
  return [
    {
      paragraph,
      first,
      text,
      size,
      style,
      prominence: isStyled ? prominence : 0,
      isBeforeText,
    },
  ];
}

/** Finds the place of each bookmark: on its page, the nearest text that is equal but for numbers and punctuation. */
function matchBookmarks(
  candidates: readonly Candidate[],
  bookmarks: readonly Bookmark[],
  levels: Map<Candidate, number>,
): void {
  const byKey = Map.groupBy(candidates, ({ text }) => plain(text));
  for (const { title, level, page, y } of bookmarks) {
    const key = plain(title);
    if (key.length < 3) continue;
    const found = (byKey.get(key) ?? []).filter(
      (one) => !levels.has(one) && (page === 0 || one.first.page === page),
    );
    const [nearest] = y === undefined ? found : found.toSorted((a, b) => distance(a, y) - distance(b, y));
    if (nearest !== undefined) levels.set(nearest, level);
  }
}

/** Points between a line and a height above the lower edge of its page. */
function distance({ first }: Candidate, y: number): number {
  const height = first.box === undefined ? 0 : first.y1 / Math.max(first.box[3], 0.01);
  return Math.abs(height - y - first.base);
}

const MAX_LENGTH_OF_TEXT = 400;

/** Levels of candidates whose numbers form a sequence in the whole file. */
function numberedOf(
  paragraphs: readonly Paragraph[],
  candidates: readonly Candidate[],
): Map<Candidate, number> {
  const candidateOf = new Map(candidates.map((one) => [one.paragraph, one]));
  const within: { start: number; end: number }[] = [];
  const starts = new Map<number, Candidate>();
  let text = '';
  for (const paragraph of paragraphs) {
    const candidate = candidateOf.get(paragraph);
    const start = text.length;
    text += `${textOf(paragraph).slice(0, MAX_LENGTH_OF_TEXT)}\n\n`;
    if (candidate === undefined || candidate.prominence <= 0 || !NUMBERED.test(candidate.text)) continue;
    within.push({ start, end: text.length });
    starts.set(start, candidate);
  }
  const levels = new Map<Candidate, number>();
  for (const { start, level } of findNumberedHeadings(text, within)) {
    const candidate = starts.get(start);
    if (candidate !== undefined) levels.set(candidate, Math.min(level, MAX_DEPTH));
  }
  return levels;
}

/**
 * Sets levels that hold for the whole file: a style has the level that bookmarks and numbers give it, or the next below that
 * of the style above. A style that is used once is not a parent: it is the title, or uncertain.
 */
function setLevels(
  rated: ReadonlyMap<Candidate, Heading>,
  candidates: readonly Candidate[],
  title: string | undefined,
): void {
  const key = ({ style }: Candidate) => style;
  const certain = [...rated].filter(([, heading]) => isCertain(heading));
  const styles = Map.groupBy(certain, ([candidate]) => key(candidate));
  const largest = Math.max(...candidates.filter(({ first }) => first.page === 1).map(({ size }) => size), 0);
  const isTitle = ({ first, size, text }: Candidate) =>
    first.page === 1 && (size >= largest || (title !== undefined && plain(title) === plain(text)));
  const scale = [...styles].filter(([, ones]) => ones.length > 1 || ones.some(([one]) => !isTitle(one)));
  scale.sort(
    ([, [a]], [, [b]]) =>
      (b?.[0].size ?? 0) - (a?.[0].size ?? 0) || (b?.[0].prominence ?? 0) - (a?.[0].prominence ?? 0),
  );
  const levels = new Map<string, number>();
  let above = 0;
  for (const [style, ones] of scale) {
    const known = new Map<number, number>();
    for (const [, { level }] of ones) if (level > 0) known.set(level, (known.get(level) ?? 0) + 1);
    const isAlone = known.size === 0 && ones.length < 2 && scale.length > 1;
    const level = Math.min(mostFrequent(known) ?? above + 1, MAX_DEPTH);
    levels.set(style, level);
    if (!isAlone) above = Math.max(level, above);
  }
  for (const [candidate, { source, level, confidence: sure }] of rated) {
    const isSingle = source === 'style' && (styles.get(key(candidate))?.length ?? 0) < 2 && styles.size > 1;
    const own = level || levels.get(key(candidate)) || (isTitle(candidate) ? 1 : MAX_DEPTH);
    const isLoose = isSingle && !isTitle(candidate) && own < 3;
    candidate.paragraph.heading = { level: own, source, confidence: isLoose ? Math.min(sure, 0.5) : sure };
  }
}
