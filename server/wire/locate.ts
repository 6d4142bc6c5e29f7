import type { OffsetUnit } from '../../core/contracts/chunk.ts';
import type { CountedSpan } from '../../core/engine/chunking.ts';
import type { JsonText } from './json-text.ts';

/** The bytes `[from, to)` of each span in the JSON text, and its offsets `[start, end)` in the chosen unit. */
export interface Places {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly start: Uint32Array;
  readonly end: Uint32Array;
}

type Stretch = Pick<CountedSpan, 'start' | 'end'>;

/** A place in a JSON text, counted in four ways at once. */
interface Cursor {
  at: number;
  utf16: number;
  code_point: number;
  byte: number;
}

/** Finds spans in a JSON text and converts their offsets: in one pass if their starts and ends rise. */
export function locate(json: JsonText, spans: readonly Stretch[], unit: OffsetUnit): Places {
  if (!rise(spans)) return locateSorted(json, spans, unit);
  const [from, to, start, end] = [0, 0, 0, 0].map(() => new Uint32Array(spans.length)) as FourArrays;
  const source = sourceOf(json);
  const head: Cursor = { at: 0, utf16: 0, code_point: 0, byte: 0 };
  const tail: Cursor = { ...head };
  for (let index = 0; index < spans.length; index++) {
    const span = spans[index] as Stretch;
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

function rise(spans: readonly Stretch[]): boolean {
  let [start, end] = [0, 0];
  for (const span of spans) {
    if (span.start < start || span.end < end) return false;
    ({ start, end } = span);
  }
  return true;
}

/** Finds all starts and ends in their order, once each, and puts the spans together again. */
function locateSorted(json: JsonText, spans: readonly Stretch[], unit: OffsetUnit): Places {
  const offsets = new Set(Uint32Array.from(spans.flatMap(({ start, end }) => [start, end])).sort());
  const found = locate(
    json,
    Array.from(offsets, (offset) => ({ start: offset, end: offset })),
    unit,
  );
  const index = new Map(Array.from(offsets, (offset, at) => [offset, at]));
  const pick = (places: Uint32Array, edge: 'start' | 'end') =>
    Uint32Array.from(spans, (span) => places[index.get(span[edge]) as number] as number);
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

type FourArrays = [Uint32Array, Uint32Array, Uint32Array, Uint32Array];

/** Moves a cursor to a later UTF-16 offset, which must be the boundary of a code point. */
function advance(source: Source, cursor: Cursor, target: number): void {
  const { json } = source;
  let { at, utf16 } = cursor;
  let astral = utf16 - cursor.code_point;
  let escapeBytes = at - cursor.byte;
  while (utf16 < target) {
    const byte = json[at] as number;
    if (byte < 0x80 && byte !== BACKSLASH) {
      const units = plainUnits(source, at, target - utf16);
      at += units;
      utf16 += units;
    } else if (byte === BACKSLASH) {
      const units = escapedUnits(json, at);
      const length = json[at + 1] === LOWER_U ? 6 * units : 2;
      escapeBytes += length - escapedBytes(json, at, units);
      at += length;
      utf16 += units;
      astral += units - 1;
    } else if (byte < 0xf0) {
      at += byte < 0xe0 ? 2 : 3;
      utf16++;
    } else {
      at += 4;
      utf16 += 2;
      astral++;
    }
  }
  cursor.at = at;
  cursor.utf16 = utf16;
  cursor.code_point = utf16 - astral;
  cursor.byte = at - escapeBytes;
}

/** A JSON text, and the four-byte words of its memory; the first begins `lead` bytes before it. */
interface Source {
  readonly json: JsonText;
  readonly words: Int32Array;
  readonly lead: number;
}

function sourceOf(json: JsonText): Source {
  const lead = json.byteOffset % 4;
  const words = new Int32Array(json.buffer, json.byteOffset - lead, Math.floor((json.length + lead) / 4));
  return { json, words, lead };
}

/**
 * How many bytes from `at` on, at least one and at most `most`, are certainly ASCII without an escape: the byte at
 * `at`, which the caller has checked, and the whole words after it that have neither.
 */
function plainUnits({ words, lead }: Source, at: number, most: number): number {
  if ((at + 1 + lead) % 4 !== 0) return 1;
  const first = (at + 1 + lead) / 4;
  const end = Math.min(words.length, first + Math.floor((most - 1) / 4));
  let word = first;
  while (word < end && isPlain(words[word] as number)) word++;
  return 1 + (word - first) * 4;
}

/** Whether none of a word's four bytes is above 0x7f or a backslash. */
function isPlain(word: number): boolean {
  const zeroAtBackslash = word ^ 0x5c5c5c5c;
  const marks = word | ((zeroAtBackslash - 0x01010101) & ~zeroAtBackslash);
  return (marks & 0x80808080) === 0;
}

const BACKSLASH = 0x5c;
const LOWER_U = 0x75;

/** UTF-16 units of the code point that an escape begins: 2 for an escaped surrogate pair. */
function escapedUnits(json: JsonText, at: number): 1 | 2 {
  if (json[at + 1] !== LOWER_U || (hexUnit(json, at + 2) & 0xfc00) !== 0xd800) return 1;
  const isPair =
    json[at + 6] === BACKSLASH && json[at + 7] === LOWER_U && (hexUnit(json, at + 8) & 0xfc00) === 0xdc00;
  return isPair ? 2 : 1;
}

/** UTF-8 bytes of the code point that an escape stands for; 3 for a lone surrogate. */
function escapedBytes(json: JsonText, at: number, units: number): number {
  if (units === 2) return 4;
  const unit = json[at + 1] === LOWER_U ? hexUnit(json, at + 2) : 0;
  return unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
}

function hexUnit(json: JsonText, at: number): number {
  let unit = 0;
  for (let index = at; index < at + 4; index++) unit = unit * 16 + hexDigit(json[index] as number);
  return unit;
}

function hexDigit(byte: number): number {
  return byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57;
}
