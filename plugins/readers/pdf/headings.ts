import { findNumberedHeadings } from '../../toolkit/numbered/index.ts';
import type { Bookmark } from './bookmarks.ts';
import { type Line, mostFrequent } from './lines.ts';
import { BULLET, fontName, type Heading, isBold, isCertain, type Paragraph } from './paragraphs.ts';
import { levelOf } from './roles.ts';

/** A paragraph that has the form of a heading. */
interface Candidate {
  readonly paragraph: Paragraph;
  readonly first: Line;
  readonly text: string;
  readonly size: number;
  /** Size, font and color: headings of one level share them. */
  readonly style: string;
  readonly features: Features;
}

/** What speaks for a heading or against it: 1 if it is so. */
type Features = Readonly<Record<string, number>>;

/** What is known of a file before its headings are. */
interface Surroundings {
  readonly paragraphs: readonly Paragraph[];
  readonly size: number;
  readonly color: number | undefined;
  readonly isBold: boolean;
  /** The share of the text in each font, from 0 to 1. */
  readonly fonts: ReadonlyMap<string, number>;
  /** Entries of a printed table of contents. */
  readonly contents: ReadonlySet<string>;
  /** Lines of the table of contents. */
  readonly entries: ReadonlySet<Line>;
  /** How often the text of each paragraph occurs. */
  readonly counts: ReadonlyMap<string, number>;
}

/**
 * Log odds that a paragraph is a heading, fitted by logistic regression (L2 10) to the tags of 89 public files of 22
 * repositories, read with their tags hidden. Files that tag fewer than half of their large short lines were left out.
 */
const WEIGHTS: Features = {
  inOutline: 2.18,
  part: 1.94,
  larger: 1.55,
  inContents: 1.54,
  sequence: 1.39,
  code: 1.25,
  otherFont: 1.17,
  subsection: 1.13,
  capitals: 0.98,
  short: 0.89,
  large: 0.44,
  huge: 0.42,
  beforeText: 0.31,
  wide: -0.54,
  firstPage: -0.54,
  white: -0.65,
  beforeList: -0.74,
  aboveRow: -0.79,
  notInContents: -0.8,
  belowRow: -0.82,
  signs: -1.04,
  lines: -1.05,
  colon: -1.16,
  mono: -1.17,
  afterSame: -1.2,
  grey: -1.22,
  farFromNext: -1.23,
  mixed: -1.27,
  notInOutline: -2.02,
};

/** Log odds by the share of the paragraphs of the same style. */
const WEIGHTS_OF_STYLE: Features = {
  inOutline: 1.77,
  apart: 1.49,
  many: 1.34,
  digits: -0.72,
  beforeSame: -0.82,
  repeated: -1.01,
  aboveRow: -1.37,
  long: -1.82,
};
const BIAS = -2.12;

const MAX_LENGTH = 200;
const MAX_LENGTH_OF_TAG = 250;
const MAX_LINES = 4;
const MAX_DEPTH = 6;
/** Less likely headings are plain text. */
const MIN_CONFIDENCE = 0.3;
/** Tags of headings around a larger share of a file's text are wrong. */
const MAX_SHARE_OF_TAGS = 0.3;
const OTHER_ROLES = /^(?:LI|TD|TH|TR|Table|Caption|Note|TOCI|Figure|Formula|Code)$/;
const CAPTION =
  /^(?:fig(?:ure|\.)?|table|tab\.|abb(?:ildung|\.)?|tabelle|chart|exhibit|box|listing|scheme|plate)\s*[\dIVX]/i;
const DATE =
  /^(?:\p{L}+,? )?(?:\d{1,2}(?:st|nd|rd|th)?\.? )?(?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}*\.?,? ?(?:\d{1,2},? )?\d{2,4}$/iu;
const ADDRESS = /@|https?:|www\.|\b(?:tel|fax|phone|isbn|issn|doi)\b/i;
const FORMULA = /[=\u2211\u222b\u221a\u2264\u2265\u2248\u00d7\u2192\u2208\u2200\u2203]/;
/** A sentence or an expression may end so, but no heading. */
const OPEN_END =
  /(?:[.,;\u2026\u2013\u2014-]|(?<!\p{L})(?:a|an|the|of|and|or|to|in|for|with|by|on|at|from|that|is|are|as|der|die|das|und|oder|von|mit|de|la|le|et|du|des|y|del))$/iu;
const FRAGMENT = /^(?:\p{Ll}+(?:$|[\s,.;])|[^\p{L}\p{N}[("'\u201c\u2018\u00bf])/u;
/** Reports print figures in large letters. */
const FIGURE = /^\d[\d,.]*\+?\s?(?:%|(?:million|billion|pence|bn)\b)/i;
const NUMBERED =
  /^(?:\(?(?:\d+(?:\.\d+)*|[A-Z]|[IVX]+)[.)]?|(?:chapter|section|part|article|appendix|annex)\s+\w+[.:]?)\s/i;
const PART = /^(?:chapter|section|part|article|appendix|annex|schedule|item)\s+[\dA-Z]/i;
const SUBSECTION = /^(?:\d{1,2}|[A-Z])(?:\.\d{1,2})+[.):]?\s/;
const CODE = /^\[?[A-Z]{1,5}-?\d+\]?[:. -]/;
const CONTENTS = /^(?:table of )?contents$|^inhalt|^index$/i;
/** The name and the page of an entry of contents. */
const ENTRY = /^(\S.*?)(?:\s*(?:\.\s?){3,}|\s*\u2026+|\s)\s*(\d{1,4})$/;
const MIN_ENTRIES = 5;
const MAX_OF_CONTENTS = 0.4;

/**
 * Sets the headings: from the tags of the file, from its bookmarks, from numbers that form a sequence, and from the style of
 * whole lines.
 *
 * @param title of the document's properties
 */
export function findHeadings(
  paragraphs: readonly Paragraph[],
  bookmarks: readonly Bookmark[],
  title: string | undefined,
): void {
  const isTagged = readTags(paragraphs);
  const candidates = candidatesOf(paragraphs, isTagged);
  const levels = new Map<Candidate, number>();
  matchBookmarks(candidates, bookmarks, levels);
  const isOutlined = bookmarks.length >= MIN_BOOKMARKS && levels.size >= 0.5 * bookmarks.length;
  const numbered = numberedOf(paragraphs, candidates);
  const rated = new Map<Candidate, Heading>();
  for (const [candidate, score] of scoresOf(candidates, { levels, isOutlined, numbered })) {
    const likely = Math.round(100 / (1 + Math.exp(-score))) / 100;
    // The heading of a table of contents does not describe the text below it.
    const confidence = candidate.features.contents ? Math.min(likely, MAX_OF_CONTENTS) : likely;
    const [known, number] = [levels.get(candidate), numbered.get(candidate)];
    if (known !== undefined) rated.set(candidate, { level: known, source: 'bookmark', confidence: 0.95 });
    else if (confidence < MIN_CONFIDENCE) continue;
    else if (number !== undefined) rated.set(candidate, { level: number, source: 'numbering', confidence });
    else rated.set(candidate, { level: 0, source: 'style', confidence });
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

const rounded = (size: number): number => Math.round(size * 2) / 2;
const textOf = ({ lines }: Paragraph): string =>
  lines
    .map(({ text }) => text)
    .join(' ')
    .replaceAll('\t', ' ')
    .trim();
/** A title without its number, case and punctuation, for comparison. */
const plain = (title: string): string =>
  title
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^(?:(?:chapter|section|part|article|appendix)\s)?[\d.\s]+|[^\p{L}\p{N}]/gu, '');
const styleOf = ({ size, font, color }: Line): string => `${rounded(size)} ${fontName(font)} ${color}`;

/** Tags are wrong where they call most of a text, or whole paragraphs, headings. @returns whether they are right */
function readTags(paragraphs: readonly Paragraph[]): boolean {
  const tagged = paragraphs.flatMap((paragraph) => {
    const block = paragraph.lines[0]?.block;
    const level = block && levelOf(block);
    return level === undefined || paragraph.lines[0]?.row
      ? []
      : [{ paragraph, level, text: textOf(paragraph) }];
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

function candidatesOf(paragraphs: readonly Paragraph[], isTagged: boolean): Candidate[] {
  const around = surroundingsOf(paragraphs);
  const styles = Map.groupBy(paragraphs, ({ lines: [first] }) => first && styleOf(first));
  const shares = new Map<string | undefined, Features>();
  for (const [style, ones] of styles) {
    const lengths = ones.map((one) => textOf(one).length);
    const inLong = sum(lengths.filter((length) => length > MAX_LENGTH_OF_LABEL));
    shares.set(style, { long: inLong / (sum(lengths) || 1), many: Number(ones.length > 9) });
  }
  return paragraphs.flatMap((paragraph, index) => {
    const [first] = paragraph.lines;
    const text = textOf(paragraph);
    const role = first?.block?.role;
    const isOther = role !== undefined && (isTagged || OTHER_ROLES.test(role));
    if (first === undefined || first.row || paragraph.heading || isOther || !hasForm(paragraph, text))
      return [];
    const style = styleOf(first);
    const features = { ...shares.get(style), ...featuresOf(around, index, text) };
    return [{ paragraph, first, text, size: rounded(first.size), style, features }];
  });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
const MAX_LENGTH_OF_LABEL = 120;

function surroundingsOf(paragraphs: readonly Paragraph[]): Surroundings {
  const lines = paragraphs.flatMap(({ lines }) => lines);
  const counts = new Map<string, number>();
  for (const paragraph of paragraphs) {
    const key = plain(textOf(paragraph).slice(0, MAX_LENGTH));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const count = <Key>(keyOf: (line: Line) => Key): Map<Key, number> => {
    const characters = new Map<Key, number>();
    for (const line of lines)
      characters.set(keyOf(line), (characters.get(keyOf(line)) ?? 0) + line.text.length);
    return characters;
  };
  const fonts = count(({ font }) => fontName(font));
  const all = sum([...fonts.values()]);
  return {
    paragraphs,
    size: mostFrequent(count(({ size }) => rounded(size))) || 1,
    color: mostFrequent(count(({ color }) => color)),
    isBold: isBold(mostFrequent(fonts) ?? ''),
    fonts: new Map(Array.from(fonts, ([font, characters]) => [font, characters / all])),
    ...contentsOf(lines),
    counts,
  };
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
    if (key.length >= 3 && page >= (last ?? 0) && page <= (last ?? page) + 60) {
      open.push({ key, page, line });
      misses = 0;
    } else if (++misses > 3) flush();
  }
  flush();
  return { contents, entries };
}

function featuresOf({ paragraphs, ...usual }: Surroundings, index: number, text: string): Features {
  const { lines } = paragraphs[index] as Paragraph;
  const [first, last] = [lines[0] as Line, lines.at(-1) as Line];
  const [before, after] = [paragraphs[index - 1]?.lines.at(-1), paragraphs[index + 1]];
  const next = after?.lines[0];
  const following = after ? textOf(after) : '';
  const gap = (a: Line | undefined, b: Line | undefined) =>
    a !== undefined && b !== undefined && a.page === b.page && a.column === b.column
      ? (b.base - a.base) / first.size
      : Infinity;
  const isRow = (one: Line | undefined, line: Line) =>
    one !== undefined &&
    (one.cells > 1 || one.row !== undefined) &&
    one.page === line.page &&
    Math.abs(one.base - line.base) < 2.5 * line.size;
  const ratio = rounded(first.size) / usual.size;
  const [red, green, blue] = [16, 8, 0].map((bits) => ((first.color ?? 0) >> bits) & 255);
  const ink = text.replace(/\s/g, '').length || 1;
  const isSame = (one: Line | undefined) => one !== undefined && styleOf(one) === styleOf(first);
  const key = plain(text);
  const features = {
    larger: ratio >= 1.04,
    large: ratio >= 1.12,
    huge: ratio >= 1.5,
    bold: !usual.isBold && lines.every(({ font }) => isBold(font)),
    otherFont: (usual.fonts.get(fontName(first.font)) ?? 0) < 0.12,
    mixed: lines.some(({ isOneFont }) => !isOneFont),
    mono: lines.every(({ isMono }) => isMono),
    grey: first.color !== undefined && first.color !== usual.color && red === green && green === blue,
    white: first.color === 0xffffff,
    capitals: text.length > 3 && text === text.toUpperCase() && text !== text.toLowerCase(),
    part: PART.test(text),
    subsection: SUBSECTION.test(text),
    code: CODE.test(text),
    short: text.length < 4,
    lines: lines.length > 1,
    wide: first.box !== undefined && first.box[2] - first.box[0] > 0.5,
    colon: /:$/.test(text),
    digits: (text.match(/\p{N}/gu)?.length ?? 0) > 0.3 * text.length,
    signs: (text.match(/\p{L}/gu)?.length ?? 0) < 0.6 * ink,
    apart: gap(before, first) > 1.6,
    farFromNext: gap(last, next) > 2.4,
    beforeText: following.length > 60 && next !== undefined && next.size < first.size + 0.3 && !isSame(next),
    beforeList: BULLET.test(following),
    beforeSame: isSame(next),
    afterSame: isSame(before),
    belowRow: isRow(before, first),
    aboveRow: isRow(next, last),
    firstPage: first.page === 1,
    repeated: (usual.counts.get(key) ?? 0) > 2,
    inContents: usual.contents.has(key),
    notInContents: usual.contents.size > 0 && !usual.contents.has(key),
    contents: CONTENTS.test(text) || (next !== undefined && usual.entries.has(next) && first.page < 20),
  };
  return Object.fromEntries(Object.entries(features).map(([name, value]) => [name, Number(value)]));
}

/** What is known of the candidates from elsewhere. */
interface Known {
  readonly levels: ReadonlyMap<Candidate, number>;
  /** Most bookmarks lead to a candidate. */
  readonly isOutlined: boolean;
  readonly numbered: ReadonlyMap<Candidate, number>;
}

/** The log odds of each candidate. */
function scoresOf(candidates: readonly Candidate[], known: Known): Map<Candidate, number> {
  const scores = new Map<Candidate, number>();
  for (const [, ones] of Map.groupBy(candidates, ({ style }) => style)) {
    const all = ones.map((one) => allFeaturesOf(one, known));
    const weigh = (weights: Features, features: Features) =>
      sum(Object.entries(weights).map(([name, weight]) => weight * (features[name] ?? 0)));
    const ofStyle = sum(all.map((features) => weigh(WEIGHTS_OF_STYLE, features))) / ones.length;
    for (const [index, one] of ones.entries())
      scores.set(one, BIAS + ofStyle + weigh(WEIGHTS, all[index] ?? {}));
  }
  return scores;
}

function allFeaturesOf(candidate: Candidate, { levels, isOutlined, numbered }: Known): Features {
  return {
    ...candidate.features,
    inOutline: Number(levels.has(candidate)),
    notInOutline: Number(isOutlined && !levels.has(candidate)),
    sequence: Number(numbered.has(candidate)),
  };
}

/** Outlines with fewer entries say little of what they leave out. */
const MIN_BOOKMARKS = 4;

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
    if (candidate === undefined || !NUMBERED.test(candidate.text)) continue;
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

/** Styles whose headings are less sure, on average, are below all others: their headings end at the next one. */
const RELIABLE = 0.7;
const MIN_RELIABLE = 3;

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
      (b?.[0].size ?? 0) - (a?.[0].size ?? 0) || (b?.[1].confidence ?? 0) - (a?.[1].confidence ?? 0),
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
  const means = new Map(
    Array.from(styles, ([style, ones]) => [style, sum(ones.map(([, one]) => one.confidence)) / ones.length]),
  );
  const reliable = certain.filter(([one, { level }]) => level > 0 || (means.get(key(one)) ?? 0) >= RELIABLE);
  const below = Math.min(
    Math.max(...reliable.map(([one, { level }]) => level || (levels.get(key(one)) ?? 1))) + 1,
    MAX_DEPTH,
  );
  for (const [candidate, { source, level, confidence }] of rated) {
    const isSure = source === 'style' ? (means.get(key(candidate)) ?? 0) >= RELIABLE : confidence >= RELIABLE;
    const known = level || levels.get(key(candidate)) || (isTitle(candidate) ? 1 : MAX_DEPTH);
    const own = isSure || reliable.length < MIN_RELIABLE ? known : below;
    candidate.paragraph.heading = { level: own, source, confidence };
  }
}
