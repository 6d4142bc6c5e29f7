import type { Span } from '../../contracts/chunk.ts';
import { isWhiteSpace } from './cuts.ts';

/** Maximum length of a line or paragraph that is found. A lone carriage return is not a line break. */
const MAX_LINE_LENGTH = 240;
const USUAL_LINE = 80;
const SHORT_LINE = 8;
const MAX_SPACE_LENGTH = 64;

const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const BYTE_ORDER_MARK = 0xfeff;

export function isLineStart(text: string, at: number): boolean {
  return at === 0 || text.charCodeAt(at - 1) === LINE_FEED || isBehindMark(text, at);
}

export function isBehindMark(text: string, at: number): boolean {
  return at === 1 && text.charCodeAt(0) === BYTE_ORDER_MARK;
}

/** Whether the line at `at` is the first line of the text, or follows a blank line. */
export function isBehindBlankLine(text: string, at: number): boolean {
  return at === 0 || lineFeeds(text, endOfContent(text, 0, at), at) > 1;
}

/** The end of the text before the white space that ends at `end`; `end` if that white space is too long. */
export function endOfContent(text: string, floor: number, end: number): number {
  const least = Math.max(floor, end - MAX_SPACE_LENGTH);
  let at = end;
  while (at > least && isWhiteSpace(text.charCodeAt(at - 1))) at--;
  return at > least ? at : end;
}

export function endOfLastLine(text: string, floor: number, end: number): number {
  const content = endOfContent(text, floor, end);
  const lineFeed = text.slice(content, end).indexOf('\n');
  return lineFeed === -1 ? end : content + lineFeed + 1;
}

/** The start of the line that ends at `end`; `undefined` if it is below `floor` or too far away. */
export function startOfLine(text: string, floor: number, end: number): number | undefined {
  const least = Math.max(floor, end - SHORT_LINE);
  for (let at = end; at > least; at--) if (isLineStart(text, at)) return at;
  const near = Math.max(floor, end - USUAL_LINE);
  const far = Math.max(floor, end - MAX_LINE_LENGTH);
  const start = lastLineStart(text, near, end) ?? lastLineStart(text, far, near) ?? far;
  return isLineStart(text, start) ? start : undefined;
}

function lastLineStart(text: string, from: number, to: number): number | undefined {
  let start: number | undefined;
  let lineFeed = text.indexOf('\n', from);
  while (lineFeed !== -1 && lineFeed < to) {
    start = lineFeed + 1;
    lineFeed = text.indexOf('\n', start);
  }
  return start;
}

/** The start of the paragraph that ends at `end`, but at least `floor`; `undefined` if it is too far away. */
export function startOfParagraph(text: string, floor: number, end: number): number | undefined {
  const least = Math.max(floor, end - MAX_LINE_LENGTH);
  return lastBlankLineEnd(text, least, end) ?? (least === floor ? floor : undefined);
}

/** The line directly above the line at `start`; `undefined` if it is blank or too long. */
export function lineAbove(text: string, floor: number, start: number): Span | undefined {
  const end = endOfContent(text, floor, start);
  if (end === start || lineFeeds(text, end, start) !== 1) return undefined;
  const above = startOfLine(text, floor, end);
  return above === undefined ? undefined : { start: above, end };
}

export function lineAt(text: string, start: number): string {
  const [line = ''] = text.slice(start, start + MAX_LINE_LENGTH).split('\n', 1);
  return line;
}

export function lineFeeds(text: string, start: number, end: number): number {
  return text.slice(start, end).split('\n').length - 1;
}

export function isBlankUnit(unit: number): boolean {
  return unit === SPACE || unit === TAB;
}

export function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

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

export function isLineBreak(unit: number): boolean {
  return unit === LINE_FEED || unit === CARRIAGE_RETURN;
}
