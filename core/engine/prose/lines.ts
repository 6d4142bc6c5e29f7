import { keepsTogether, type Line } from './blocks.ts';

/**
 * Parts of a text, without gaps: each begins with the text or at a line, where the previous line break ends a
 * sentence.
 */
export interface Stretches {
  /** Rising; the first is 0. A stretch ends where the next one begins, so blank lines go with what is before. */
  readonly starts: number[];
  /** Whether each stretch is prose; no sentence ends within code, a heading or a row of a table. */
  readonly areProse: boolean[];
}

/** Divides a text at the line breaks that end a paragraph, an item of a list, a heading, a verse or a line of code. */
export function stretchesOf(text: string): Stretches {
  const reader: Reader = {
    text,
    starts: [],
    areProse: [],
    block: [],
    inItem: false,
    fence: '',
    opens: false,
  };
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const next = newline === -1 ? text.length : newline + 1;
    readLine(reader, lineOf(text, start, next));
    start = next;
  }
  closeBlock(reader);
  if (reader.starts.length > 0) reader.starts[0] = 0;
  return reader;
}

interface Reader extends Stretches {
  readonly text: string;
  /** Lines that may belong together. */
  block: Line[];
  /** Whether the block is an item of a list. */
  inItem: boolean;
  /** The marker of the fence that the line is in, or nothing. */
  fence: string;
  /** Whether the fence was opened by this line. */
  opens: boolean;
}

function lineOf(text: string, start: number, next: number): Line {
  let end = next;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  let from = start;
  while (from < end && isBlank(text.charCodeAt(from))) from++;
  return { start, from, end };
}

function isBlank(unit: number): boolean {
  return unit === 32 || (unit >= 9 && unit <= 13) || unit === 0xa0 || unit === 0x3000;
}

function readLine(reader: Reader, line: Line): void {
  if (reader.fence !== '') readCode(reader, line);
  else if (line.from === line.end) closeBlock(reader);
  else readText(reader, line);
}

function readText(reader: Reader, line: Line): void {
  const { text } = reader;
  const first = text.charAt(line.from);
  if (MARKERS.has(first) && readMarked(reader, line, first)) return;
  if (ITEM_STARTS.test(first) && startsItem(reader, line)) {
    closeBlock(reader);
    reader.inItem = true;
  }
  reader.block.push(line);
}

/** First units of headings, fences, rules, rows and tags. */
const MARKERS = new Set('#`~|<=-*_^."\'+:');
const ITEM_STARTS = /[-*+•‣◦▪●⁃(\da-zA-Z]/;
const HEADING = /#{1,6}(?:\s|$)/y;
const FENCE = /`{3,}|~{3,}/y;
const TAG = /<[/!a-zA-Z]/y;
const RULE = /^([-=*_^~."'+#:])(?:\s?\1){2,}$/;

/** Reads a line whose markup makes it a stretch of its own, or a part of the previous one. */
function readMarked(reader: Reader, line: Line, first: string): boolean {
  const { text } = reader;
  const matches = (pattern: RegExp) => {
    pattern.lastIndex = line.from;
    return pattern.exec(text)?.[0];
  };
  const fence = matches(FENCE);
  if (fence !== undefined) {
    reader.fence = fence;
    reader.opens = true;
    return standAlone(reader, line);
  }
  if (first === '|' || (first === '#' && matches(HEADING) !== undefined)) return standAlone(reader, line);
  if (first === '<' && text.charAt(line.end - 1) === '>' && matches(TAG) !== undefined)
    return standAlone(reader, line);
  if (!isRule(text, line)) return false;
  // Below a line, it underlines a title.
  if (reader.block.length === 0) return standAlone(reader, line);
  closeBlock(reader);
  return true;
}

/** Whether a line repeats one character, at least three times. */
function isRule(text: string, { from, end }: Line): boolean {
  return end - from <= MOST_RULE && RULE.test(text.slice(from, end));
}

const MOST_RULE = 200;

function standAlone(reader: Reader, { start }: Line): true {
  closeBlock(reader);
  addStretch(reader, start, false);
  return true;
}

/** Lines of code are stretches of their own; the fences go with the first and the last one. */
function readCode(reader: Reader, { start, from, end }: Line): void {
  if (from === end) return;
  const { text, fence } = reader;
  if (text.startsWith(fence, from) && isAll(text, from, end, fence.charAt(0))) {
    reader.fence = '';
    return;
  }
  if (!reader.opens) addStretch(reader, start, false);
  reader.opens = false;
}

function isAll(text: string, from: number, end: number, unit: string): boolean {
  for (let at = from; at < end; at++) if (text.charAt(at) !== unit) return false;
  return true;
}

const BULLET = /(?:[-*+]\s|[•‣◦▪●⁃])/y;
const NUMBER = /\(?(\d{1,9}|[a-zA-Z])(?:\.\)|[.)])\s/y;

/** Whether a line begins an item. Within a paragraph only a bullet or the number 1 does, as in Markdown. */
function startsItem({ text, block, inItem }: Reader, { from }: Line): boolean {
  BULLET.lastIndex = from;
  if (BULLET.test(text)) return true;
  NUMBER.lastIndex = from;
  const number = NUMBER.exec(text)?.[1];
  return number !== undefined && (block.length === 0 || inItem || number === '1');
}

function addStretch({ starts, areProse }: Reader, start: number, isProse: boolean): void {
  starts.push(start);
  areProse.push(isProse);
}

function closeBlock(reader: Reader): void {
  const { text, block } = reader;
  const first = block[0];
  reader.inItem = false;
  if (first === undefined) return;
  addStretch(reader, first.start, true);
  if (block.length > 1) {
    const isTogether = keepsTogether(text, block);
    for (let index = 1; index < block.length; index++) {
      if (!isTogether(index)) addStretch(reader, (block[index] as Line).start, true);
    }
  }
  reader.block = [];
}
