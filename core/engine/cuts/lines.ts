import type { Span } from '../../contracts/chunk.ts';
import type { CutFinder } from '../../contracts/chunker.ts';
import { isWhiteSpace } from './cuts.ts';

/**
 * Lines near an offset of a text. A carriage return alone does not begin a line. Each function reads a bounded
 * stretch.
 */
const LONGEST_LINE = 240;
const USUAL_LINE = 80;
/** The longest stretch that is searched backwards. */
const SHORT_LINE = 8;
const LONGEST_SPACE = 64;

const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
/** The first white space beyond ASCII. */
const FIRST_WIDE_SPACE = 0x85;
const BYTE_ORDER_MARK = 0xfeff;

export function isLineStart(text: string, at: number): boolean {
  return at === 0 || text.charCodeAt(at - 1) === LINE_FEED || isBehindMark(text, at);
}

/** Whether an offset is directly after the byte order mark of a text. */
function isBehindMark(text: string, at: number): boolean {
  return at === 1 && text.charCodeAt(0) === BYTE_ORDER_MARK;
}

/** Whether the line that begins at `at` is the first of the text, or has a blank line above it. */
export function isBehindBlankLine(text: string, at: number): boolean {
  return at === 0 || lineFeeds(text, endOfContent(text, 0, at), at) > 1;
}

/** Where the text before `end` ends without white space; `end` if there is more white space than blank lines have. */
export function endOfContent(text: string, floor: number, end: number): number {
  const least = Math.max(floor, end - LONGEST_SPACE);
  let at = end;
  while (at > least && isWhiteSpace(text.charCodeAt(at - 1))) at--;
  return at > least ? at : end;
}

/** Where the text before `end` ends without the blank lines at its end. */
export function endOfLastLine(text: string, floor: number, end: number): number {
  const content = endOfContent(text, floor, end);
  const lineFeed = text.slice(content, end).indexOf('\n');
  return lineFeed === -1 ? end : content + lineFeed + 1;
}

/** The start of the line that ends at `end`, if it is near and not before `floor`. */
export function startOfLine(text: string, floor: number, end: number): number | undefined {
  const least = Math.max(floor, end - SHORT_LINE);
  for (let at = end; at > least; at--) if (isLineStart(text, at)) return at;
  const near = Math.max(floor, end - USUAL_LINE);
  const far = Math.max(floor, end - LONGEST_LINE);
  const start = lastLineStart(text, near, end) ?? lastLineStart(text, far, near) ?? far;
  return isLineStart(text, start) ? start : undefined;
}

/** The start of the last line that begins after a line feed of a stretch. */
function lastLineStart(text: string, from: number, to: number): number | undefined {
  // From the front, because `indexOf` is several times as fast as a loop if line feeds are rare.
  let start: number | undefined;
  let lineFeed = text.indexOf('\n', from);
  while (lineFeed !== -1 && lineFeed < to) {
    start = lineFeed + 1;
    lineFeed = text.indexOf('\n', start);
  }
  return start;
}

/** The start of the paragraph that ends at `end`, or `floor` if that is later; `undefined` if it is not near. */
export function startOfParagraph(text: string, floor: number, end: number): number | undefined {
  const least = Math.max(floor, end - LONGEST_LINE);
  return lastBlankLineEnd(text, least, end) ?? (least === floor ? floor : undefined);
}

/** The line directly above the one that begins at `start`, if it is not blank. */
export function lineAbove(text: string, floor: number, start: number): Span | undefined {
  const end = endOfContent(text, floor, start);
  if (end === start || lineFeeds(text, end, start) !== 1) return undefined;
  const above = startOfLine(text, floor, end);
  return above === undefined ? undefined : { start: above, end };
}

/** The first line at or after `start`. */
export function lineAt(text: string, start: number): string {
  const [line = ''] = text.slice(start, start + LONGEST_LINE).split('\n', 1);
  return line;
}

export function lineFeeds(text: string, start: number, end: number): number {
  return text.slice(start, end).split('\n').length - 1;
}

/** Whether a unit is white space within a line. */
export function isBlankUnit(unit: number): boolean {
  return unit === SPACE || unit === TAB;
}

export function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
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

/** Whether a unit ends a line: LF or CR, also as CRLF. */
export function isLineBreak(unit: number): boolean {
  return unit === LINE_FEED || unit === CARRIAGE_RETURN;
}

/** After the line break at an offset, whichever kind it is. */
export function afterLineBreak(text: string, at: number): number {
  return text.charCodeAt(at) === CARRIAGE_RETURN && text.charCodeAt(at + 1) === LINE_FEED ? at + 2 : at + 1;
}

/** Where the indentation before an offset begins; the offset itself if there is more before it on its line. */
export function startOnLine(text: string, floor: number, offset: number): number {
  let at = offset;
  while (at > floor && isBlankUnit(text.charCodeAt(at - 1))) at--;
  return at === 0 || isLineBreak(text.charCodeAt(at - 1)) || isBehindMark(text, at) ? at : offset;
}

/** Where the line after the one at an offset begins; `end` if none begins before it. */
export function nextLine(text: string, from: number, end: number): number {
  for (let at = from; at < end; at++) if (isLineBreak(text.charCodeAt(at))) return afterLineBreak(text, at);
  return end;
}

/**
 * The lines of a text in their order. Searching for their ends is faster than reading up to them as `nextLine` does,
 * and takes linear time because it remembers where it found them.
 */
export class LineEnds {
  readonly #text: string;
  #lineFeed = -1;
  #carriageReturn = -1;
  /** Where the last line ends, without its break. */
  end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Where the line after the one at an offset begins; the length of the text if there is none. Offsets must not fall. */
  next(from: number): number {
    const text = this.#text;
    if (this.#lineFeed < from) this.#lineFeed = indexOr(text, '\n', from);
    if (this.#carriageReturn < from) this.#carriageReturn = indexOr(text, '\r', from);
    const isPair = this.#carriageReturn + 1 === this.#lineFeed;
    this.end = Math.min(this.#lineFeed, this.#carriageReturn);
    return Math.min(this.end + (isPair ? 2 : 1), text.length);
  }
}

function indexOr(text: string, letter: string, from: number): number {
  const at = text.indexOf(letter, from);
  return at === -1 ? text.length : at;
}

/** Cuts after every run of at least so many blank lines, whatever white space is in them. */
export function cutAfterBlankLines(minimum: number): CutFinder {
  return (text, start, end) => findBlankLines(minimum, text, start, end);
}

// At module level, because a finder lives for only one request, and V8 discards optimised code together with its
// closure.
function findBlankLines(minimum: number, text: string, start: number, end: number): number[] {
  const cuts: number[] = [];
  let ink = start;
  while (ink < end && isWhiteSpace(text.charCodeAt(ink))) ink++;
  for (let at = text.indexOf('\n', ink); at !== -1 && at < end; at = text.indexOf('\n', ink)) {
    ink = at + 1;
    if (text.charCodeAt(ink) > SPACE && text.charCodeAt(ink) < FIRST_WIDE_SPACE) continue;
    let [lines, lineStart] = [0, ink];
    for (; ink < end; ink++) {
      const unit = text.charCodeAt(ink);
      if (unit === LINE_FEED) {
        lines++;
        lineStart = ink + 1;
      } else if (!isWhiteSpace(unit)) break;
    }
    if (lines >= minimum && ink < end) cuts.push(lineStart);
  }
  return cuts;
}
