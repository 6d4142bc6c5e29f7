import { isWhiteSpace } from '../cuts/cuts.ts';
import { isBlankUnit, startOfLine } from '../cuts/lines.ts';

/**
 * A title without marks is recognised by how it stands: a short line, alone in its paragraph, that does not end like a
 * sentence, with as many blank lines above it as below or more. It may end in a stop below two blank lines, after a
 * number (`Part 6. Streets.`) or in capitals. Each function reads a bounded stretch.
 */
const MAX_TITLE = 100;
/** Maximum length of a line that is a title only by the blank lines above it, although it ends in a stop. */
const MAX_STOPPED = 50;
/** White space that is read on each side of a line. */
const MAX_SPACE = 64;
/** Paragraphs of one title: only the first needs as many blank lines above as the last has below. */
const MAX_PARTS = 3;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** From here on there are scripts without capitals and Roman numerals. */
const FIRST_WIDE = 0x2e80;

/** What begins items, quotes, rows, fences, images, comments, and what a tag closes. */
const NO_TITLE = /^(?:[-+*•‣◦▪●⁃>–—]\s|[>|]|```|~~~|!\[|<[/!])/;
const ITEM = /^\(?(?:\d{1,9}|\p{Ll})[.)]\s/u;
const CLOSER = /[\p{Pe}\p{Pf}\p{Pi}"'*_`~]/u;
const QUOTE = /["'\p{Pf}\p{Pi}」』]/u;
const INK = /[\p{L}\p{N}]/u;
const GOES_ON = /[,;、，；\\{–—]/;
const STOP = /[\p{Sentence_Terminal}…]/u;
const SMALL = /\p{Ll}/u;
const CAPITALS = /\p{Lu}.*\p{Lu}/u;
/** A number at the beginning or after one word. */
const NUMBERED = /^[_*]{0,3}(?:\p{L}{2,}\.? )?(?:[IVX]|[IVXLCDM]{2,}|\d+)[.:]/u;

/** Whether the line from `start` to `end` is a title. */
export function isTitle(text: string, start: number, end: number): boolean {
  if (end - start > MAX_TITLE) return false;
  if (isSentenceEnd(text.charCodeAt(end - 1)) && !mayEndInStop(text, start)) return false;
  const below = lineFeedsAfter(text, end);
  if (below < 2) return false;
  let [from, to] = [start, end];
  for (let parts = 0; parts < MAX_PARTS; parts++) {
    const content = contentBefore(text, from);
    const above = content === 0 ? 2 : lineFeedsAfter(text, content);
    if (above < 2 || !readsAsTitle(text, from, to, above > 2)) return false;
    if (above >= below || content === 0) return true;
    const first = startOfLine(text, 0, content);
    if (first === undefined || content - first > MAX_TITLE) return false;
    [from, to] = [first, content];
  }
  return false;
}

/** The start of a short line that ends at `end` and may have a blank line above it; -1 if it is another line. */
export function shortLineStart(text: string, end: number): number {
  const from = Math.max(end - MAX_TITLE, 0);
  const lineFeed = text.slice(from, end).lastIndexOf('\n');
  if (lineFeed === -1) return from === 0 ? 0 : -1;
  const start = from + lineFeed + 1;
  const unit = text.charCodeAt(beforeLineBreak(text, start) - 1);
  return unit === LINE_FEED || isBlankUnit(unit) ? start : -1;
}

/** Whether a short line that ends like a sentence may be a title: by its script and by what is above it. */
export function mayEndInStop(text: string, start: number): boolean {
  if (text.charCodeAt(start) < FIRST_WIDE) return true;
  const above = beforeLineBreak(text, start);
  return isSpaceEnd(text, beforeLineBreak(text, above));
}

/** Where the line break begins that ends at an offset. */
function beforeLineBreak(text: string, end: number): number {
  return text.charCodeAt(end - 2) === CARRIAGE_RETURN ? end - 2 : end - 1;
}

function isSpaceEnd(text: string, end: number): boolean {
  return end <= 0 || isWhiteSpace(text.charCodeAt(end - 1));
}

/** Whether a line begins and ends like a title. @param isApart whether it is below two blank lines */
function readsAsTitle(text: string, start: number, end: number, isApart: boolean): boolean {
  let [from, to] = [start, end];
  while (from < to && isWhiteSpace(text.charCodeAt(from))) from++;
  while (to > from && !isPlain(text.charCodeAt(to - 1)) && CLOSER.test(text.charAt(to - 1))) to--;
  const isStop = !isPlain(text.charCodeAt(to - 1)) && STOP.test(text.charAt(to - 1));
  if (isStop && QUOTE.test(text.charAt(to))) return false;
  if (!isPlain(text.charCodeAt(to - 1)) && GOES_ON.test(text.charAt(to - 1))) return false;
  if (!beginsAsTitle(text, from, end, isApart)) return false;
  return !isStop || (isApart && end - from <= MAX_STOPPED) || mayStop(text.slice(from, end));
}

/** Whether a line has a letter or digit, and does not begin like an item or another block. */
function beginsAsTitle(text: string, from: number, end: number, isApart: boolean): boolean {
  // Most lines begin with a capital letter, and need no pattern.
  if (isCapital(text.charCodeAt(from))) return true;
  const line = text.slice(from, end);
  return !NO_TITLE.test(line) && (isApart || !ITEM.test(line)) && INK.test(line);
}

/** Whether a line that ends in a stop may be a title: by its number, or because it is in capitals. */
function mayStop(line: string): boolean {
  return NUMBERED.test(line) || (!SMALL.test(line) && CAPITALS.test(line));
}

/** Whether a unit is one of the letters A to Z. */
function isCapital(unit: number): boolean {
  return unit >= 65 && unit <= 90;
}

/** Whether a unit is a letter or digit of a script in which most texts are written. */
function isPlain(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) ||
    (unit >= 48 && unit <= 57) ||
    (unit >= 65 && unit <= 90) ||
    (unit >= 0x3040 && unit < 0xd800)
  );
}

/** Whether a unit ends most sentences, in any script. */
export function isSentenceEnd(unit: number): boolean {
  return unit === 0x2e || unit === 0x21 || unit === 0x3f || unit === 0x3002 || unit === 0x2026;
}

/** Where the white space before an offset begins; `at` itself if there is more than is read. */
function contentBefore(text: string, at: number): number {
  const least = Math.max(0, at - MAX_SPACE);
  let content = at;
  while (content > least && isWhiteSpace(text.charCodeAt(content - 1))) content--;
  return content > least || content === 0 ? content : at;
}

/** The line feeds in the white space from an offset on. */
function lineFeedsAfter(text: string, from: number): number {
  const most = Math.min(text.length, from + MAX_SPACE);
  let found = 0;
  for (let at = from; at < most; at++) {
    const unit = text.charCodeAt(at);
    if (unit === LINE_FEED) found++;
    else if (!isWhiteSpace(unit)) break;
  }
  return found;
}
