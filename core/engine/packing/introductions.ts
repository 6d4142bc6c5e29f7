import type { Span } from '../../contracts/chunk.ts';
import { isWhiteSpace } from '../cuts/cuts.ts';
import {
  endOfContent,
  isBehindBlankLine,
  isBlankUnit,
  isDigit,
  isLineStart,
  lineAbove,
  lineAt,
  lineFeeds,
  startOfLine,
  startOfParagraph,
} from '../cuts/lines.ts';

/** Maximum length of a title that ends like a sentence: `## Why?`. */
const MAX_SENTENCE_LENGTH = 100;
const MAX_COMMENT_LENGTH = 800;
const MAX_SPACE_LENGTH = 16;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
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
 * An introduction announces the text after it and should not be separated from that text:
 *
 * - a heading `# Title`, which in many languages is a comment; a comment with `//`, `--` or in `/*`; a decorator
 *   (`@x`, `#[x]`)
 * - a title that is underlined, or numbered and alone between blank lines
 * - a short paragraph that ends in a colon; if the paragraph is cut, its part after the last cut
 * - in prose, a title without markup (see `MAX_TITLE`)
 *
 * An introduction includes the blank lines after it. Longer text is ordinary text.
 *
 * Returns the start of the introduction that ends at `end`; `end` if there is none. An introduction never begins before
 * `floor`. If it is a paragraph that ends in a colon, it never begins before the previous cut, `lastCut`. Reads a
 * bounded number of characters.
 *
 * @param end the start of a line
 * @param titles whether titles without markup are introductions
 */
export function introductionStart(
  text: string,
  floor: number,
  lastCut: number,
  end: number,
  titles: boolean,
): number {
  if (end === floor || !isLineStart(text, end)) return end;
  const lineEnd = endOfContent(text, floor, end);
  // The previous cut is in the white space between the introduction and `end`, so they are already separate.
  if (lastCut > lineEnd) return end;
  const last = text.charCodeAt(lineEnd - 1);
  if (isSentenceEnd(last) && endsProse(text, lastCut, lineEnd, titles)) return end;
  if (isColon(last)) return startOfColon(text, lastCut, lineEnd) ?? end;
  const comment = last === SLASH ? startOfComment(text, floor, lineEnd) : undefined;
  const start = comment ?? startOfLine(text, floor, lineEnd);
  if (start === undefined) return end;
  const first = text.charCodeAt(start);
  if (comment !== undefined || isMarked(text, start, lineEnd)) return start;
  if (isDigit(first) && NUMBERED.test(text.slice(start, lineEnd)))
    return isNumberedTitle(text, start, lineEnd, end) ? start : end;
  const underlined = first === last ? startOfTitle(text, floor, start, lineEnd) : undefined;
  if (underlined !== undefined) return underlined;
  return titles && isTitle(text, start, lineEnd) ? start : end;
}

/** The number of `#` at `start`: the depth of a heading, or 0. */
export function headingDepth(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) === HASH) at++;
  return at - start;
}

/** Whether a fence or a table row begins at `at`, indented or not. The lines of such a block belong together. */
export function isWholeBlock(text: string, at: number): boolean {
  let start = at;
  while (isBlankUnit(text.charCodeAt(start)) && start < at + MAX_SPACE_LENGTH) start++;
  return text.startsWith('```', start) || text.startsWith('~~~', start) || text.startsWith('|', start);
}

export function endsInColon(text: string, floor: number, end: number): boolean {
  return isColon(text.charCodeAt(endOfContent(text, floor, end) - 1));
}

function isColon(unit: number): boolean {
  return unit === COLON || unit === WIDE_COLON;
}

/**
 * Whether a line that ends like a sentence is prose: longer than a title, with a blank line after it. Excludes most
 * paragraphs quickly, because it does not search for the start of the line.
 */
function endsProse(text: string, lastCut: number, lineEnd: number, titles: boolean): boolean {
  const isShort = lineEnd - lastCut <= MAX_SENTENCE_LENGTH || text.charCodeAt(lastCut) === HASH;
  if (isShort && isLineStart(text, lastCut)) return false;
  const next = text.charCodeAt(lineEnd) === LINE_FEED ? lineEnd + 1 : lineEnd + 2;
  const unit = text.charCodeAt(next);
  if (unit !== LINE_FEED && unit !== CARRIAGE_RETURN) return false;
  if (!titles) return true;
  const start = shortLineStart(text, lineEnd);
  return start === -1 || !mayEndInStop(text, start);
}

function isMarked(text: string, start: number, end: number): boolean {
  let at = start;
  while (isBlankUnit(text.charCodeAt(at))) at++;
  const first = text.charCodeAt(at);
  const isMark = first === HASH || first === SLASH || first === DASH || first === AT;
  return isMark && MARKED.test(text.slice(start, end));
}

function startOfColon(text: string, floor: number, end: number): number | undefined {
  const start = startOfParagraph(text, floor, end);
  if (start === undefined) return undefined;
  const paragraph = text.slice(start, end);
  const mayHaveFence = paragraph.includes('```') || paragraph.includes('~~~');
  return mayHaveFence && FENCE.test(paragraph) ? undefined : start;
}

function startOfComment(text: string, floor: number, end: number): number | undefined {
  if (text.charAt(end - 2) !== '*') return undefined;
  const least = Math.max(floor, end - MAX_COMMENT_LENGTH);
  const opening = text.slice(least, end - 2).lastIndexOf('/*');
  const start = opening === -1 ? undefined : startOfLine(text, floor, least + opening);
  const isFirst = start !== undefined && text.slice(start, least + opening).trim() === '';
  return isFirst ? start : undefined;
}

function startOfTitle(text: string, floor: number, start: number, end: number): number | undefined {
  const underline = text.slice(start, end);
  const title = UNDERLINE.test(underline) ? lineAbove(text, floor, start) : undefined;
  if (title === undefined || isEndOfFence(underline, title)) return undefined;
  const above = lineAbove(text, floor, title.start);
  if (above === undefined) return title.start;
  return text.slice(above.start, above.end) === underline ? above.start : undefined;
}

function isEndOfFence(underline: string, { start, end }: Span): boolean {
  return underline === '~~~' || (underline.startsWith('~') && underline.length < end - start);
}

function isNumberedTitle(text: string, start: number, end: number, next: number): boolean {
  if (!isBehindBlankLine(text, start) || lineFeeds(text, end, next) < 2) return false;
  return !NUMBERED.test(lineAt(text, next));
}

/**
 * Maximum length of a title without markup. Such a title is a short line, alone in its paragraph, with at least as
 * many blank lines above as below. It must not end like a sentence, with three exceptions. It may end in a full stop
 * after two blank lines, if it is numbered (`Part 6. Streets.`), or if it is in capitals.
 */
const MAX_TITLE = 100;
/** Maximum length of a title that ends in a full stop and follows two blank lines, but has no number or capitals. */
const MAX_STOPPED = 50;
/** Maximum number of white space characters that are read on each side of a line. */
const MAX_SPACE = 64;
/** Maximum paragraphs of one title. Above the first are at least as many blank lines as below the last. */
const MAX_PARTS = 3;

/** Scripts from this code point on have neither capitals nor Roman numerals. */
const FIRST_WIDE = 0x2e80;

/** Lines that are not titles: they begin like an item, quote, table row, fence, image, comment or closing tag. */
const NO_TITLE = /^(?:[-+*•‣◦▪●⁃>–—]\s|[>|]|```|~~~|!\[|<[/!])/;
const ITEM = /^\(?(?:\d{1,9}|\p{Ll})[.)]\s/u;
const CLOSER = /[\p{Pe}\p{Pf}\p{Pi}"'*_`~]/u;
const QUOTE = /["'\p{Pf}\p{Pi}」』]/u;
const INK = /[\p{L}\p{N}]/u;
const GOES_ON = /[,;、，；\\{–—]/;
const STOP = /[\p{Sentence_Terminal}…]/u;
const SMALL = /\p{Ll}/u;
const CAPITALS = /\p{Lu}.*\p{Lu}/u;
const NUMBERED_PART = /^[_*]{0,3}(?:\p{L}{2,}\.? )?(?:[IVX]|[IVXLCDM]{2,}|\d+)[.:]/u;

export function isTitle(text: string, start: number, end: number): boolean {
  if (end - start > MAX_TITLE) return false;
  if (isSentenceEnd(text.charCodeAt(end - 1)) && !mayEndInStop(text, start)) return false;
  const below = lineFeedsAfter(text, end);
  if (below < 2) return false;
  let from = start;
  let to = end;
  for (let parts = 0; parts < MAX_PARTS; parts++) {
    const content = contentBefore(text, from);
    const above = content === 0 ? 2 : lineFeedsAfter(text, content);
    if (above < 2 || !readsAsTitle(text, from, to, above > 2)) return false;
    if (above >= below || content === 0) return true;
    const first = startOfLine(text, 0, content);
    if (first === undefined || content - first > MAX_TITLE) return false;
    from = first;
    to = content;
  }
  return false;
}

/** The start of the line that ends at `end`; -1 if the line is too long or certainly has no blank line above it. */
export function shortLineStart(text: string, end: number): number {
  const from = Math.max(end - MAX_TITLE, 0);
  const lineFeed = text.slice(from, end).lastIndexOf('\n');
  if (lineFeed === -1) return from === 0 ? 0 : -1;
  const start = from + lineFeed + 1;
  const unit = text.charCodeAt(beforeLineBreak(text, start) - 1);
  return unit === LINE_FEED || isBlankUnit(unit) ? start : -1;
}

function mayEndInStop(text: string, start: number): boolean {
  if (text.charCodeAt(start) < FIRST_WIDE) return true;
  const end = beforeLineBreak(text, beforeLineBreak(text, start));
  return end <= 0 || isWhiteSpace(text.charCodeAt(end - 1));
}

function beforeLineBreak(text: string, end: number): number {
  return text.charCodeAt(end - 2) === CARRIAGE_RETURN ? end - 2 : end - 1;
}

/** Whether a line begins and ends like a title. @param isApart whether two blank lines precede it */
function readsAsTitle(text: string, start: number, end: number, isApart: boolean): boolean {
  let from = start;
  let to = end;
  while (from < to && isWhiteSpace(text.charCodeAt(from))) from++;
  while (to > from && !isPlain(text.charCodeAt(to - 1)) && CLOSER.test(text.charAt(to - 1))) to--;
  const isStop = !isPlain(text.charCodeAt(to - 1)) && STOP.test(text.charAt(to - 1));
  if (isStop && QUOTE.test(text.charAt(to))) return false;
  if (!isPlain(text.charCodeAt(to - 1)) && GOES_ON.test(text.charAt(to - 1))) return false;
  const line = text.slice(from, end);
  const first = text.charCodeAt(from);
  // The capitals A to Z need none of the patterns below. Most lines begin with one of them.
  const isCapital = first >= 65 && first <= 90;
  if (!isCapital && (NO_TITLE.test(line) || (!isApart && ITEM.test(line)) || !INK.test(line))) return false;
  if (!isStop || (isApart && line.length <= MAX_STOPPED)) return true;
  return NUMBERED_PART.test(line) || (!SMALL.test(line) && CAPITALS.test(line));
}

function isPlain(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) ||
    (unit >= 48 && unit <= 57) ||
    (unit >= 65 && unit <= 90) ||
    (unit >= 0x3040 && unit < 0xd800)
  );
}

function isSentenceEnd(unit: number): boolean {
  return unit === 0x2e || unit === 0x21 || unit === 0x3f || unit === 0x3002 || unit === 0x2026;
}

/** The start of the white space that ends at `at`; `at` if that white space is too long. */
function contentBefore(text: string, at: number): number {
  const least = Math.max(0, at - MAX_SPACE);
  let content = at;
  while (content > least && isWhiteSpace(text.charCodeAt(content - 1))) content--;
  return content > least || content === 0 ? content : at;
}

function lineFeedsAfter(text: string, from: number): number {
  const most = Math.min(text.length, from + MAX_SPACE);
  let count = 0;
  for (let at = from; at < most; at++) {
    const unit = text.charCodeAt(at);
    if (unit === LINE_FEED) count++;
    else if (!isWhiteSpace(unit)) break;
  }
  return count;
}
