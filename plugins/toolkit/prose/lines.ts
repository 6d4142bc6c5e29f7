import { matchEnd } from '../../../core/engine/search.ts';
import { CLOSER, DIGIT, FULL_MARK, isLetter, LOWER, MARK, OPENER, UPPER, unitClasses } from './characters.ts';

/** Parts of a text, without gaps. The first begins at 0, the others after a line break that ends a sentence. */
export interface Stretches {
  /** Rising offsets from 0. A stretch ends where the next one begins, so it includes the blank lines after it. */
  readonly starts: number[];
  /** Whether each stretch is prose. A stretch of code, a heading or a table row is never cut into sentences. */
  readonly areProse: boolean[];
}

/** Divides a text at line breaks that end a paragraph, a list item, a heading, a verse or a line of code. */
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
    const line = lineOf(text, start, next);
    if (reader.fence !== '') readCode(reader, line);
    else if (line.from === line.end) closeBlock(reader);
    else readText(reader, line);
    start = next;
  }
  closeBlock(reader);
  if (reader.starts.length > 0) reader.starts[0] = 0;
  return reader;
}

interface Reader extends Stretches {
  readonly text: string;
  block: Line[];
  inItem: boolean;
  fence: string;
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

const MARKERS = new Set('#`~|<=-*_^."\'+:');
const ITEM_STARTS = /[-*+•‣◦▪●⁃(\da-zA-Z]/;
const HEADING = /#{1,6}(?:\s|$)/y;
const FENCE = /`{3,}|~{3,}/y;
const TAG = /<[/!a-zA-Z]/y;
const RULE = /^([-=*_^~."'+#:])(?:\s?\1){2,}$/;

/** Reads a line with markup: a stretch by itself, or part of the previous one. @returns false if it has no markup */
function readMarked(reader: Reader, line: Line, first: string): boolean {
  const { text } = reader;
  const matches = (pattern: RegExp) => matchEnd(pattern, text, line.from) !== -1;
  const fenceEnd = matchEnd(FENCE, text, line.from);
  if (fenceEnd !== -1) {
    reader.fence = text.slice(line.from, fenceEnd);
    reader.opens = true;
    return standAlone(reader, line);
  }
  if (first === '|' || (first === '#' && matches(HEADING))) return standAlone(reader, line);
  if (first === '<' && text.charAt(line.end - 1) === '>' && matches(TAG)) return standAlone(reader, line);
  if (!isRule(text, line)) return false;
  if (reader.block.length === 0) return standAlone(reader, line);
  closeBlock(reader);
  return true;
}

function isRule(text: string, { from, end }: Line): boolean {
  return end - from <= MAX_RULE && RULE.test(text.slice(from, end));
}

const MAX_RULE = 200;

function standAlone(reader: Reader, { start }: Line): true {
  closeBlock(reader);
  addStretch(reader, start, false);
  return true;
}

/** Makes each line of code a stretch. The first and the last stretch include the fences. */
function readCode(reader: Reader, { start, from, end }: Line): void {
  if (from === end) return;
  const { text, fence } = reader;
  if (text.startsWith(fence, from) && text.slice(from, end).replaceAll(fence.charAt(0), '') === '') {
    reader.fence = '';
    return;
  }
  if (!reader.opens) addStretch(reader, start, false);
  reader.opens = false;
}

const BULLET = /(?:[-*+]\s|[•‣◦▪●⁃])/y;
const NUMBER = /\(?(\d{1,9}|[a-zA-Z])(?:\.\)|[.)])\s/y;

/** Whether a line begins a list item. Within a paragraph, only a bullet or the number 1 can, as in Markdown. */
function startsItem({ text, block, inItem }: Reader, { from }: Line): boolean {
  if (matchEnd(BULLET, text, from) !== -1) return true;
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

interface Line {
  readonly start: number;
  readonly from: number;
  readonly end: number;
}

interface Measured {
  readonly length: number;
  readonly first: number;
  readonly begins: number;
  readonly word: number;
}

/**
 * Returns a function that takes the index of a line, at least 1, and tells whether the line continues the previous line.
 * Lines of verse, records and lists without bullets never continue it. A line of prose continues it if its first word
 * had no room on the previous line, is a number or is in lower case. Any other break is deliberate, as after a title.
 */
function keepsTogether(text: string, lines: readonly Line[]): (index: number) => boolean {
  const measured = lines.map((line) => measure(text, line));
  const width = widthOf(measured);
  const isFree = (index: number, share: number) => {
    const before = measured[index - 1] as Measured;
    const after = measured[index] as Measured;
    return before.length + 1 + after.word <= width * share;
  };
  if (lines.length >= 3 && areSeparate(text, lines, measured, isFree)) return () => false;
  return (index) => {
    const { begins } = measured[index] as Measured;
    if (!isFree(index, CLEAR) || begins === LOWER || begins === DIGIT) return true;
    return GOES_ON.test(text.charAt((lines[index - 1] as Line).end - 1));
  };
}

/** If a line and the next word would fill less than this share of the width, there was room for the word. */
const CLEAR = 0.85;
/** After these characters, a line break means nothing: the sentence continues, or punctuation decides if it ends. */
const GOES_ON = /[,;(&+=/\-–—.!?…]/;
const FIRST_WIDE = 0x2e80;

function measure(text: string, { start, from, end }: Line): Measured {
  const classes = unitClasses();
  let at = from;
  while (at < end && isQuote(classes[text.charCodeAt(at)] as number)) at++;
  const word = text.charCodeAt(at) >= FIRST_WIDE ? at + 1 : wordEnd(text, from, end);
  const first = classes[text.charCodeAt(from)] as number;
  const begins = at < end ? (classes[text.charCodeAt(at)] as number) : first;
  return { length: end - start, first, begins, word: word - from };
}

function isQuote(type: number): boolean {
  return type === OPENER || type === CLOSER;
}

function wordEnd(text: string, from: number, end: number): number {
  for (let at = from; at < end; at++) if (text.charCodeAt(at) === 32) return at;
  return end;
}

/** The width to which a block was wrapped: its longest line, or if it has at least four lines, its second longest. */
function widthOf(lines: readonly Measured[]): number {
  let longest = 0;
  let second = 0;
  for (const { length } of lines) {
    second = Math.max(second, Math.min(length, longest));
    longest = Math.max(longest, length);
  }
  return lines.length < 4 ? longest : second;
}

const MAX_CAPTION = 24;

function areSeparate(
  text: string,
  lines: readonly Line[],
  measured: readonly Measured[],
  isFree: (index: number, share: number) => boolean,
): boolean {
  const free = measured.filter((_, index) => index > 0 && isFree(index, 1)).length;
  const isShort = widthOf(measured) <= MAX_CAPTION || free * 4 >= measured.length - 1;
  const isVerse = isShort && measured.every(({ begins }) => begins === UPPER);
  const isRecords =
    measured.every(({ first }) => !isLetter(first)) && text.charAt(lines[0]?.from ?? 0) !== '>';
  return isVerse || isRecords || (free * 2 >= measured.length - 1 && !endsProse(text, lines));
}

function endsProse(text: string, lines: readonly Line[]): boolean {
  const classes = unitClasses();
  const { from, end } = lines.at(-1) as Line;
  let at = end - 1;
  while (at > from && isQuote(classes[text.charCodeAt(at)] as number)) at--;
  const type = classes[text.charCodeAt(at)];
  return type === MARK || type === FULL_MARK || text.charAt(at) === ':';
}
