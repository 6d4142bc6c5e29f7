import { findNumberedHeadings } from '../../toolkit/numbered/index.ts';
import type { Bookmark } from './bookmarks.ts';
import {
  type Candidate,
  candidatesOf,
  type Features,
  MAX_LENGTH,
  MAX_LINES,
  plain,
  sum,
  textOf,
} from './candidates.ts';
import { MAX_DEPTH, setLevels } from './levels.ts';
import type { Line } from './lines.ts';
import { type Heading, isCertain, type Paragraph } from './paragraphs.ts';
import { findParts } from './parts.ts';
import { levelOf } from './roles.ts';

/**
 * Log odds that a paragraph is a heading, fitted by logistic regression (L2 10) to 134 public files of 22 repositories: to the
 * tags of 89, read with their tags hidden, and to the bookmarks of 45. Files that name fewer than half of the large short lines
 * were left out.
 */
const WEIGHTS: Features = {
  sequence: 2.07,
  inContents: 2.03,
  subsection: 1.84,
  inOutline: 1.81,
  larger: 1.8,
  code: 1.48,
  otherFont: 1.22,
  capitals: 0.95,
  part: 0.7,
  firstPage: -0.44,
  lines: -0.75,
  mixed: -0.96,
  mono: -1.2,
  white: -1.22,
  colon: -1.26,
  belowRow: -1.4,
  repeated: -1.49,
  afterSame: -2.0,
  notInOutline: -2.02,
};

/** Log odds by the share of the paragraphs of the same style. */
const WEIGHTS_OF_STYLE: Features = {
  spread: 2.45,
  apart: 1.56,
  part: 1.14,
  inOutline: 0.73,
  beforeShort: -0.81,
  farFromNext: -1.77,
  aboveRow: -1.82,
  long: -2.32,
  sentence: -2.37,
};
const BIAS = -2.2;

const MAX_LENGTH_OF_TAG = 250;
/** Less likely headings are plain text. */
const MIN_CONFIDENCE = 0.3;
/** Tags of headings around a larger share of a file's text are wrong. */
const MAX_SHARE_OF_TAGS = 0.3;
const NUMBERED =
  /^(?:\(?(?:\d+(?:\.\d+)*|[A-Z]|[IVX]+)[.)]?|(?:chapter|section|part|article|appendix|annex)\s+\w+[.:]?)\s/i;
/** Headings of contents and names below a text do not describe what follows. */
const MAX_OF_NO_PARENT = 0.4;
/** Confidence of labels of parts that begin on pages of their own. */
const OF_PARTS = 0.9;

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
  const levels = matchBookmarks(paragraphs, bookmarks);
  const parts = isTagged ? new Set<Paragraph>() : findParts(paragraphs);
  const candidates = candidatesOf(paragraphs, isTagged, new Set([...levels.keys(), ...parts]));
  const named = bookmarks.filter(({ title }) => plain(title) !== '').length;
  const isOutlined = named >= MIN_BOOKMARKS && levels.size >= 0.5 * named;
  const numbered = numberedOf(paragraphs, candidates);
  const rated = new Map<Candidate, Heading>();
  for (const [candidate, score] of scoresOf(candidates, { levels, isOutlined, numbered })) {
    const likely = Math.round(100 / (1 + Math.exp(-score))) / 100;
    const { contents, signed } = candidate.features;
    const confidence = contents || signed ? Math.min(likely, MAX_OF_NO_PARENT) : likely;
    const [known, number] = [levels.get(candidate.paragraph), numbered.get(candidate)];
    if (known !== undefined) rated.set(candidate, { level: known, source: 'bookmark', confidence: 0.95 });
    else if (parts.has(candidate.paragraph))
      rated.set(candidate, { level: 1, source: 'numbering', confidence: OF_PARTS });
    else if (confidence < MIN_CONFIDENCE || isPlain(candidate, number)) continue;
    else if (number !== undefined) rated.set(candidate, { level: number, source: 'numbering', confidence });
    else rated.set(candidate, { level: 0, source: 'style', confidence });
  }
  setLevels(rated, candidates, title);
}

/** Whether a candidate is a line of the usual text, without a number, capitals or an entry of contents. */
const isPlain = ({ features }: Candidate, number: number | undefined): boolean =>
  features.usual === 1 &&
  number === undefined &&
  ['larger', 'otherFont', 'capitals', 'part', 'subsection', 'code', 'inContents'].every(
    (mark) => !features[mark],
  );

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

/** What is known of the candidates from elsewhere. */
interface Known {
  readonly levels: ReadonlyMap<Paragraph, number>;
  /** Most bookmarks lead to a candidate. */
  readonly isOutlined: boolean;
  readonly numbered: ReadonlyMap<Candidate, number>;
}

/** A member of a style that is less likely by more than these log odds has something of its own against it. */
const MAX_BELOW_STYLE = 1;

/** The log odds of each candidate, which are at least those of its style unless something speaks against it alone. */
function scoresOf(candidates: readonly Candidate[], known: Known): Map<Candidate, number> {
  const scores = new Map<Candidate, number>();
  const weigh = (weights: Features, features: Features) =>
    sum(Object.entries(weights).map(([name, weight]) => weight * (features[name] ?? 0)));
  for (const [, ones] of Map.groupBy(candidates, ({ style }) => style)) {
    const all = ones.map((one) => allFeaturesOf(one, known));
    const ofStyle = BIAS + sum(all.map((features) => weigh(WEIGHTS_OF_STYLE, features))) / ones.length;
    const own = all.map((features) => ofStyle + weigh(WEIGHTS, features));
    const mean = sum(own) / own.length;
    for (const [index, one] of ones.entries()) {
      const score = own[index] ?? mean;
      scores.set(one, score > mean - MAX_BELOW_STYLE ? Math.max(score, mean) : score);
    }
  }
  return scores;
}

function allFeaturesOf(candidate: Candidate, { levels, isOutlined, numbered }: Known): Features {
  return {
    ...candidate.features,
    inOutline: Number(levels.has(candidate.paragraph)),
    notInOutline: Number(isOutlined && !levels.has(candidate.paragraph)),
    sequence: Number(numbered.has(candidate)),
  };
}

/** Outlines with fewer entries say little of what they leave out. */
const MIN_BOOKMARKS = 4;
/** A bookmark and its heading share this part of the longer of both. */
const MIN_SHARED = 0.6;
const MIN_LENGTH_TO_SHARE = 4;
/** Paragraphs of a page that are compared with a bookmark. */
const MAX_COMPARED = 300;

/**
 * Finds the place of each bookmark on its page: the nearest text that is equal but for numbers, case and punctuation, or else
 * has more or fewer words before it or after it.
 */
function matchBookmarks(
  paragraphs: readonly Paragraph[],
  bookmarks: readonly Bookmark[],
): Map<Paragraph, number> {
  const levels = new Map<Paragraph, number>();
  const places = paragraphs
    .filter(
      ({ lines: [first, ...more], heading }) => first && !first.row && !heading && more.length < MAX_LINES,
    )
    .map((paragraph) => ({ paragraph, first: paragraph.lines[0] as Line, key: plain(textOf(paragraph)) }))
    .filter(({ key }) => key !== '' && key.length <= MAX_LENGTH);
  const byPage = Map.groupBy(places, ({ first }) => first.page);
  const byKey = Map.groupBy(places, ({ key }) => key);
  for (const { title, level, page, y } of bookmarks) {
    const key = plain(title);
    if (key === '') continue;
    const on = (page === 0 ? byKey.get(key) : byPage.get(page)) ?? [];
    const open = on.slice(0, MAX_COMPARED).filter(({ paragraph }) => !levels.has(paragraph));
    const equal = open.filter((one) => one.key === key);
    const found =
      equal.length > 0 ? equal : open.filter((one) => isPartOf(one.key, key) || isPartOf(key, one.key));
    const [nearest] =
      y === undefined ? found : found.toSorted((a, b) => distance(a.first, y) - distance(b.first, y));
    if (nearest !== undefined) levels.set(nearest.paragraph, level);
  }
  return levels;
}

const isPartOf = (part: string, whole: string): boolean =>
  part.length >= Math.max(MIN_LENGTH_TO_SHARE, MIN_SHARED * whole.length) && whole.includes(part);

/** Points between a line and a height above the lower edge of its page. */
function distance({ box, y1, base }: Line, y: number): number {
  const height = box === undefined ? 0 : y1 / Math.max(box[3], 0.01);
  return Math.abs(height - y - base);
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
