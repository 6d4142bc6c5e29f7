import type { Span } from '../contracts/chunk.ts';
import { isWhiteSpace } from './cuts.ts';

/**
 * An introduction is what only announces the text behind it, so that it should not be cut from that:
 *
 * - a heading `# Title`, which is also what a comment of many languages looks like; a comment with `//`, `--` or
 *   in `/*`; a decorator (`@x`, `#[x]`)
 * - a title that is underlined, or numbered and alone between blank lines
 * - a short paragraph that ends in a colon, or the end of one from the last cut on
 *
 * It ends with its line, and the blank lines behind it belong to it. What is longer than these is text.
 */
const MOST_IN_A_ROW = 6;
const LONGEST_LINE = 240;
/** Of a piece that ends like a sentence and is a title all the same: `## Why?`. */
const LONGEST_SENTENCE = 100;
const LONGEST_COMMENT = 800;
const LONGEST_SPACE = 16;

const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const HASH = 35;
const DASH = 45;
const SLASH = 47;
const COLON = 58;
const AT = 64;
const WIDE_COLON = 0xff1a;
const FENCE = /^[ \t]*(?:```|~~~)/m;
const MARKED = /^[ \t]*(?:(?:#{1,6}|\/\/[/!]?|--)[ \t]|@[\w.]|#\[)/;
const UNDERLINE = /^([=\-~^*+])\1{2,}$/;
const NUMBERED = /^\d{1,3}(?:\.\d{1,3}){0,4}\.?[ \t]+\S.*[^\s.,;:!?。，；：！？]$/;

/**
 * Where the introductions begin that end at the start of a line, some of them in a row; `end` if there is none. They
 * are sought behind `floor`, and one that ends in a colon behind `lastCut`, the cut before this one. Reads a bounded
 * number of characters.
 */
export function introductionStart(text: string, floor: number, lastCut: number, end: number): number {
  let start = end;
  for (let count = 0; count < MOST_IN_A_ROW; count++) {
    const before = lastIntroduction(text, floor, lastCut, start);
    if (before === start) break;
    start = before;
  }
  return start;
}

/** Whether a block begins at `at`, indented or not, whose lines belong together: a fence or a table. */
export function isWholeBlock(text: string, at: number): boolean {
  let start = at;
  while (text.charCodeAt(start) === SPACE && start < at + LONGEST_SPACE) start++;
  return text.startsWith('```', start) || text.startsWith('~~~', start) || text.startsWith('|', start);
}

/** Whether `at` is the start of a line; a carriage return alone begins none. */
export function isLineStart(text: string, at: number): boolean {
  return at === 0 || text.charCodeAt(at - 1) === LINE_FEED;
}

/** The start of the introduction that ends at `end`, or `end`. */
function lastIntroduction(text: string, floor: number, lastCut: number, end: number): number {
  if (end === floor || !isLineStart(text, end)) return end;
  const lineEnd = endOfContent(text, floor, end);
  // A cut between the two was looked at before, and kept.
  if (lastCut > lineEnd) return end;
  const last = text.charCodeAt(lineEnd - 1);
  if (isSentenceEnd(last) && endsProse(text, lastCut, lineEnd)) return end;
  if (last === COLON || last === WIDE_COLON) return startOfParagraph(text, lastCut, lineEnd) ?? end;
  const comment = last === SLASH ? startOfComment(text, floor, lineEnd) : undefined;
  const start = comment ?? startOfLine(text, floor, lineEnd);
  if (start === undefined) return end;
  const first = text.charCodeAt(start);
  if (comment !== undefined || isMarked(text, start, lineEnd)) return start;
  if (isDigit(first)) return isNumberedTitle(text, start, lineEnd, end) ? start : end;
  return first === last ? (startOfTitle(text, floor, start, lineEnd) ?? end) : end;
}

/**
 * Whether a line that ends like a sentence ends prose: more than a short line, with a blank line behind it. Decided
 * without looking for the start of the line, because this is where most paragraphs are told from titles.
 */
function endsProse(text: string, lastCut: number, lineEnd: number): boolean {
  if (lineEnd - lastCut <= LONGEST_SENTENCE && isLineStart(text, lastCut)) return false;
  const next = text.charCodeAt(lineEnd) === LINE_FEED ? lineEnd + 1 : lineEnd + 2;
  const unit = text.charCodeAt(next);
  return unit === LINE_FEED || unit === CARRIAGE_RETURN;
}

/** Where the text before `end` ends without white space; `end` if there is more of that than blank lines have. */
function endOfContent(text: string, floor: number, end: number): number {
  const least = Math.max(floor, end - LONGEST_SPACE);
  let at = end;
  while (at > least && isWhiteSpace(text.charCodeAt(at - 1))) at--;
  return at > least ? at : end;
}

/**
 * The start of the line that ends at `end`, if it is near and not before `floor`. Looked for from the front, because
 * `indexOf` is several times as fast as a loop.
 */
function startOfLine(text: string, floor: number, end: number): number | undefined {
  let start = Math.max(floor, end - LONGEST_LINE);
  let lineFeed = text.indexOf('\n', start);
  while (lineFeed !== -1 && lineFeed < end) {
    start = lineFeed + 1;
    lineFeed = text.indexOf('\n', start);
  }
  return isLineStart(text, start) ? start : undefined;
}

/** Whether a line has the mark of a heading, a comment or a decorator at its beginning. */
function isMarked(text: string, start: number, end: number): boolean {
  let at = start;
  while (isBlankUnit(text.charCodeAt(at))) at++;
  const first = text.charCodeAt(at);
  const isMark = first === HASH || first === SLASH || first === DASH || first === AT;
  return isMark && MARKED.test(text.slice(start, end));
}

/**
 * The start of the paragraph that ends at `end`, or of what stands of it behind `floor`, if that is short and no
 * fence ends in it.
 */
function startOfParagraph(text: string, floor: number, end: number): number | undefined {
  const least = Math.max(floor, end - LONGEST_LINE);
  const start = lastBlankLineEnd(text, least, end) ?? floor;
  if (start < least) return undefined;
  const paragraph = text.slice(start, end);
  const mayHaveFence = paragraph.includes('```') || paragraph.includes('~~~');
  return mayHaveFence && FENCE.test(paragraph) ? undefined : start;
}

/** Where the last blank line ends that begins and ends in `[start, end)`. */
function lastBlankLineEnd(text: string, start: number, end: number): number | undefined {
  let found: number | undefined;
  let at = text.indexOf('\n', start);
  while (at !== -1 && at < end) {
    let next = at + 1;
    while (isBlankUnit(text.charCodeAt(next))) next++;
    if (text.charCodeAt(next) === CARRIAGE_RETURN) next++;
    const isBlank = text.charCodeAt(next) === LINE_FEED;
    if (isBlank) found = next + 1;
    at = text.indexOf('\n', isBlank ? next + 1 : at + 1);
  }
  return found;
}

function isBlankUnit(unit: number): boolean {
  return unit === SPACE || unit === TAB;
}

/** The start of the block comment that ends at `end`, if it begins a line. */
function startOfComment(text: string, floor: number, end: number): number | undefined {
  if (text.charAt(end - 2) !== '*') return undefined;
  const least = Math.max(floor, end - LONGEST_COMMENT);
  const opening = text.slice(least, end - 2).lastIndexOf('/*');
  const start = opening === -1 ? undefined : startOfLine(text, floor, least + opening);
  const isFirst = start !== undefined && text.slice(start, least + opening).trim() === '';
  return isFirst ? start : undefined;
}

/** The start of the one line above an underline, or of the overline that some titles have as well. */
function startOfTitle(text: string, floor: number, start: number, end: number): number | undefined {
  const underline = text.slice(start, end);
  const title = UNDERLINE.test(underline) ? lineAbove(text, floor, start) : undefined;
  if (title === undefined) return undefined;
  const above = lineAbove(text, floor, title.start);
  if (above === undefined) return title.start;
  return text.slice(above.start, above.end) === underline ? above.start : undefined;
}

/** The line directly above the one that begins at `start`, if it is not blank. */
function lineAbove(text: string, floor: number, start: number): Span | undefined {
  const end = endOfContent(text, floor, start);
  if (end === start || lineFeeds(text, end, start) !== 1) return undefined;
  const above = startOfLine(text, floor, end);
  return above === undefined ? undefined : { start: above, end };
}

/** Whether a line is numbered and alone between blank lines, and what follows at `next` is no further item of a list. */
function isNumberedTitle(text: string, start: number, end: number, next: number): boolean {
  if (!NUMBERED.test(text.slice(start, end))) return false;
  const isBehindBlank = start === 0 || lineFeeds(text, endOfContent(text, 0, start), start) > 1;
  if (!isBehindBlank || lineFeeds(text, end, next) < 2) return false;
  const [following = ''] = text.slice(next, next + LONGEST_LINE).split('\n', 1);
  return !NUMBERED.test(following);
}

function lineFeeds(text: string, start: number, end: number): number {
  return text.slice(start, end).split('\n').length - 1;
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

/** Whether a unit ends most sentences, of whatever script. */
function isSentenceEnd(unit: number): boolean {
  return unit === 0x2e || unit === 0x21 || unit === 0x3f || unit === 0x3002 || unit === 0x2026;
}
