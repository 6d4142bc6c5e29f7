import type { OffsetUnit } from '../../../core/contracts/chunk.ts';
import { splitsCodePoint } from '../../../core/engine/cuts/cuts.ts';
import type { CountedSpan } from '../../../core/engine/packing/packing.ts';
import type { JsonText } from '../read/json.ts';

/**
 * Converts offsets into a text to another unit, in one pass. A lone surrogate counts as one code point and three
 * bytes.
 *
 * @param offsets in UTF-16 code units, never decreasing, never inside a surrogate pair
 */
export function offsetsIn(text: string, offsets: Uint32Array, unit: OffsetUnit): Uint32Array {
  if (unit === 'utf16') return offsets;
  const found = new Uint32Array(offsets.length);
  let at = 0;
  let counted = 0;
  for (let index = 0; index < offsets.length; index++) {
    const offset = offsets[index] as number;
    while (at < offset) {
      const code = text.charCodeAt(at);
      const isPair = (code & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
      at += isPair ? 2 : 1;
      counted += lengthOf(code, isPair, unit);
    }
    found[index] = counted;
  }
  return found;
}

/** Converts offsets to UTF-16 in one pass, except offsets beyond the text or inside a code point. */
export function utf16Offsets(
  text: string,
  unit: OffsetUnit,
  offsets: readonly number[],
): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const cursor = createUtf16Cursor(text, unit);
  for (const offset of Float64Array.from(offsets).sort()) {
    const at = cursor(offset);
    if (at !== undefined) found.set(offset, at);
  }
  return found;
}

/** Converts an offset to UTF-16; undefined if it is beyond the text or inside a code point. */
export type Utf16Cursor = (offset: number) => number | undefined;

/** A cursor through a text for offsets that never decrease. */
export function createUtf16Cursor(text: string, unit: OffsetUnit): Utf16Cursor {
  if (unit === 'utf16')
    return (offset) => (offset <= text.length && !splitsCodePoint(text, offset) ? offset : undefined);
  let at = 0;
  let counted = 0;
  return (offset) => {
    let index = at;
    let length = counted;
    while (length < offset && index < text.length) {
      const code = text.charCodeAt(index);
      const isPair = (code & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
      index += isPair ? 2 : 1;
      length += lengthOf(code, isPair, unit);
    }
    at = index;
    counted = length;
    return length === offset ? index : undefined;
  };
}

function lengthOf(first: number, isPair: boolean, unit: OffsetUnit): number {
  if (unit === 'code_point') return 1;
  if (first < 0x80) return 1;
  if (first < 0x800) return 2;
  return isPair ? 4 : 3;
}

/** Bytes `[from, to)` of each span in the JSON text, and offsets `[start, end)` in the chosen unit. */
export interface SpanOffsets {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly start: Uint32Array;
  readonly end: Uint32Array;
}

type Stretch = Pick<CountedSpan, 'start' | 'end'>;

interface Cursor {
  at: number;
  utf16: number;
  code_point: number;
  byte: number;
}

/** Finds spans in a JSON text and converts their offsets. Takes one pass if neither starts nor ends decrease. */
export function locate(json: JsonText, spans: readonly Stretch[], unit: OffsetUnit): SpanOffsets {
  const { length } = spans;
  const from = new Uint32Array(length);
  const to = new Uint32Array(length);
  const start = new Uint32Array(length);
  const end = new Uint32Array(length);
  const lead = json.byteOffset % 4;
  const words = new Int32Array(json.buffer, json.byteOffset - lead, Math.floor((json.length + lead) / 4));
  const source = { json, words, lead };
  const head: Cursor = { at: 0, utf16: 0, code_point: 0, byte: 0 };
  const tail: Cursor = { at: 0, utf16: 0, code_point: 0, byte: 0 };
  for (let index = 0; index < length; index++) {
    const span = spans[index] as Stretch;
    if (span.start < head.utf16 || span.end < tail.utf16) return locateSorted(json, spans, unit);
    if (span.start >= tail.utf16) copyCursor(tail, head);
    advance(source, head, span.start);
    if (tail.utf16 < head.utf16) copyCursor(head, tail);
    advance(source, tail, span.end);
    from[index] = head.at;
    to[index] = tail.at;
    start[index] = head[unit];
    end[index] = tail[unit];
  }
  return { from, to, start, end };
}

function locateSorted(json: JsonText, spans: readonly Stretch[], unit: OffsetUnit): SpanOffsets {
  const offsets = new Set(Uint32Array.from(spans.flatMap(({ start, end }) => [start, end])).sort());
  const found = locate(
    json,
    Array.from(offsets, (offset) => ({ start: offset, end: offset })),
    unit,
  );
  const index = new Map(Array.from(offsets, (offset, at) => [offset, at]));
  const pick = (numbers: Uint32Array, edge: 'start' | 'end') =>
    Uint32Array.from(spans, (span) => numbers[index.get(span[edge]) as number] as number);
  return {
    from: pick(found.from, 'start'),
    to: pick(found.from, 'end'),
    start: pick(found.start, 'start'),
    end: pick(found.start, 'end'),
  };
}

function copyCursor(from: Cursor, to: Cursor): void {
  to.at = from.at;
  to.utf16 = from.utf16;
  to.code_point = from.code_point;
  to.byte = from.byte;
}

function advance(source: Source, cursor: Cursor, target: number): void {
  const { json, lead } = source;
  while (cursor.utf16 < target) {
    if ((cursor.at + lead) % 4 === 0) {
      passWords(source, cursor, target);
      if (cursor.utf16 === target) break;
    }
    const byte = json[cursor.at] as number;
    if (byte === BACKSLASH) {
      passEscape(json, cursor);
      continue;
    }
    const bytes = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    cursor.at += bytes;
    cursor.byte += bytes;
    cursor.utf16 += byte < 0xf0 ? 1 : 2;
    cursor.code_point++;
  }
}

/** Moves a cursor past an escape or the two escapes of a surrogate pair. A lone surrogate is three bytes. */
function passEscape(json: JsonText, cursor: Cursor): void {
  const { at } = cursor;
  const isUnit = json[at + 1] === LOWER_U;
  const unit = isUnit ? hexUnit(json, at + 2) : 0;
  const isPair = (unit & 0xfc00) === 0xd800 && isLowSurrogate(json, at + 6);
  const units = isPair ? 2 : 1;
  cursor.at += isUnit ? 6 * units : 2;
  cursor.utf16 += units;
  cursor.code_point++;
  if (isPair) cursor.byte += 4;
  else cursor.byte += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
}

/** Moves a cursor from a word boundary past all words without an escape, then to the end of a code point. */
function passWords({ json, words, lead }: Source, cursor: Cursor, target: number): void {
  const first = (cursor.at + lead) / 4;
  let word = first;
  let utf16 = cursor.utf16;
  let astral = 0;
  // A word has four bytes, so at most four UTF-16 units.
  for (const last = target - 4; utf16 <= last && word < words.length; word++) {
    const bits = words[word] as number;
    const backslashes = backslashMarks(bits);
    if (((bits | backslashes) & MARKS) === 0) {
      utf16 += 4;
      continue;
    }
    if ((backslashes & MARKS) !== 0) break;
    const astralHere = countMarks(astralMarks(bits));
    utf16 += 4 - countMarks(continuationMarks(bits)) + astralHere;
    astral += astralHere;
  }
  if (word === first) return;
  let at = word * 4 - lead;
  while (((json[at] as number) & 0xc0) === 0x80) at++;
  cursor.byte += at - cursor.at;
  cursor.code_point += utf16 - cursor.utf16 - astral;
  cursor.at = at;
  cursor.utf16 = utf16;
}

/** A JSON text, and its memory as four-byte words. The first word begins `lead` bytes before the text. */
interface Source {
  readonly json: JsonText;
  readonly words: Int32Array;
  readonly lead: number;
}

/** Returns 0 if none of a word's four bytes is a backslash. */
function backslashMarks(word: number): number {
  const zeroAtBackslash = word ^ 0x5c5c5c5c;
  return (zeroAtBackslash - 0x01010101) & ~zeroAtBackslash;
}

const MARKS = 0x80808080;

/** Marks a word's UTF-8 continuation bytes, whose bits begin with 10. */
function continuationMarks(word: number): number {
  return word & ~(word << 1) & MARKS;
}

/** Marks the UTF-8 bytes that begin a code point of two UTF-16 units; their bits begin with 1111. */
function astralMarks(word: number): number {
  return word & (word << 1) & (word << 2) & (word << 3) & MARKS;
}

function countMarks(marks: number): number {
  return Math.imul(marks >>> 7, 0x01010101) >>> 24;
}

const BACKSLASH = 0x5c;
const LOWER_U = 0x75;

function isLowSurrogate(json: JsonText, at: number): boolean {
  return json[at] === BACKSLASH && json[at + 1] === LOWER_U && (hexUnit(json, at + 2) & 0xfc00) === 0xdc00;
}

function hexUnit(json: JsonText, at: number): number {
  let unit = 0;
  for (let index = at; index < at + 4; index++) unit = unit * 16 + hexDigit(json[index] as number);
  return unit;
}

function hexDigit(byte: number): number {
  return byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57;
}
