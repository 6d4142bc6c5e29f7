import type { CountedSpan } from './chunking.ts';
import { ServiceError } from './errors.ts';
import type { JsonText } from './json-text.ts';
import { keepOptimised } from './keep-optimised.ts';

/** The unit in which an answer gives `start_index` and `end_index`. */
export const OFFSET_UNITS = ['code_point', 'utf16', 'byte'] as const;
export type OffsetUnit = (typeof OFFSET_UNITS)[number];

/** One document's text as it stands in JSON, and its chunks. */
export interface ChunkedText {
  readonly json: JsonText;
  readonly spans: readonly CountedSpan[];
}

/**
 * Writes chunks as JSON: a list, or a list of lists for a batch. Texts are copied from the documents'
 * JSON, and offsets are converted, in one pass over it.
 *
 * @param limit most bytes of the answer
 * @throws ServiceError `answer_too_large`
 */
export function writeChunks(
  documents: readonly ChunkedText[],
  unit: OffsetUnit,
  isBatch: boolean,
  limit: number,
): Uint8Array {
  const placed = documents.map(({ json, spans }): PlacedText => {
    const extras = extrasOf(json, spans, unit)?.map((extra) =>
      extra === undefined ? '' : JSON.stringify(extra),
    );
    return { json, spans, places: locate(json, spans, unit), extras };
  });
  const size = placed.reduce((sum, document) => sum + sizeOf(document), 2);
  if (size > limit) {
    throw new ServiceError('answer_too_large', { bytes: size, limit, hint: ', or lower chunk_overlap' });
  }
  const writer = new Writer(size);
  if (isBatch) writer.ascii('[');
  placed.forEach((document, index) => {
    writer.ascii(index === 0 ? '[' : ',[');
    writeDocument(writer, document);
    writer.ascii(']');
  });
  if (isBatch) writer.ascii(']');
  return writer.written();
}

interface PlacedText extends ChunkedText {
  readonly places: Places;
  /** The further fields of each chunk as JSON; an empty string where there are none. */
  readonly extras: readonly string[] | undefined;
}

/**
 * The further fields of each chunk, with the places of what is located in it. Nothing where no chunk has
 * any.
 */
export function extrasOf(
  json: JsonText,
  spans: readonly CountedSpan[],
  unit: OffsetUnit,
): (Readonly<Record<string, unknown>> | undefined)[] | undefined {
  if (spans.every(({ extra, located }) => extra === undefined && located === undefined)) return undefined;
  const fields = new Set(spans.flatMap(({ located = {} }) => Object.keys(located)));
  const found = new Map([...fields].map((field) => [field, locateField(json, spans, unit, field)]));
  return spans.map(({ extra, located }, index) => {
    if (located === undefined) return extra;
    const names = Object.keys(located);
    return { ...extra, ...Object.fromEntries(names.map((name) => [name, found.get(name)?.[index]])) };
  });
}

/** What every span has in one field, with offsets in the unit. */
function locateField(json: JsonText, spans: readonly CountedSpan[], unit: OffsetUnit, field: string) {
  const { start, end } = locate(
    json,
    spans.flatMap(({ located }) => located?.[field] ?? []),
    unit,
  );
  let at = 0;
  return spans.map(({ located }) =>
    (located?.[field] ?? []).map(({ fields }) => {
      const place = { start_index: start[at], end_index: end[at] };
      at++;
      return { ...fields, ...place };
    }),
  );
}

/** Where each span lies in the JSON text (bytes) and what the answer says of it (the chosen unit). */
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

/** Finds rising spans in a JSON text, and converts their offsets, in one pass. */
export function locate(json: JsonText, spans: readonly Stretch[], unit: OffsetUnit): Places {
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

function copyCursor(from: Cursor, to: Cursor): void {
  to.at = from.at;
  to.utf16 = from.utf16;
  to.code_point = from.code_point;
  to.byte = from.byte;
}

type FourArrays = [Uint32Array, Uint32Array, Uint32Array, Uint32Array];

/** Moves a cursor to a later UTF-16 offset, which is the edge of a code point. */
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
 * How many bytes from `at` on, at least one and at most `most`, are certainly ASCII without an escape:
 * that byte alone, or with it all whole words that are free of both.
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

const TEXT = ascii('{"text":"');
const START = ascii('","start_index":');
const END = ascii(',"end_index":');
const COUNT = ascii(',"token_count":');
const MOST_DIGITS = 10;
const FRAME = TEXT.length + START.length + END.length + COUNT.length + 3 * MOST_DIGITS + 2;

function sizeOf({ spans, places: { from, to }, extras }: PlacedText): number {
  let size = 3 + spans.length * FRAME;
  for (let index = 0; index < spans.length; index++) {
    size += (to[index] as number) - (from[index] as number);
    const extra = extras?.[index];
    if (extra) size += 1 + Buffer.byteLength(extra);
  }
  return size;
}

function writeDocument(writer: Writer, { json, spans, places, extras }: PlacedText): void {
  for (let index = 0; index < spans.length; index++) {
    const { token_count } = spans[index] as CountedSpan;
    const extra = extras?.[index];
    if (index > 0) writer.ascii(',');
    writer.bytes(TEXT, 0, TEXT.length);
    writer.bytes(json, places.from[index] as number, places.to[index] as number);
    writer.bytes(START, 0, START.length);
    writer.integer(places.start[index] as number);
    writer.bytes(END, 0, END.length);
    writer.integer(places.end[index] as number);
    writer.bytes(COUNT, 0, COUNT.length);
    writer.integer(token_count);
    if (extra) writer.members(extra);
    writer.ascii('}');
  }
}

const SHORT_COPY = 48;

/** Fills one array with JSON. */
class Writer {
  readonly #out: Uint8Array;
  #at = 0;

  constructor(size: number) {
    this.#out = new Uint8Array(size);
  }

  bytes(source: Uint8Array, from: number, to: number): void {
    const out = this.#out;
    if (to - from > SHORT_COPY) {
      out.set(source.subarray(from, to), this.#at);
      this.#at += to - from;
      return;
    }
    let at = this.#at;
    for (let index = from; index < to; index++) out[at++] = source[index] as number;
    this.#at = at;
  }

  ascii(text: string): void {
    for (let index = 0; index < text.length; index++) this.#out[this.#at++] = text.charCodeAt(index);
  }

  integer(value: number): void {
    let digits = 1;
    for (let power = 10; power <= value; power *= 10) digits++;
    let rest = value;
    for (let place = this.#at + digits - 1; place >= this.#at; place--) {
      this.#out[place] = 0x30 + (rest % 10);
      rest = Math.floor(rest / 10);
    }
    this.#at += digits;
  }

  /** Writes the members of a JSON object behind those already written. */
  members(object: string): void {
    const json = Buffer.from(object);
    if (json.length === 2) return;
    this.ascii(',');
    this.bytes(json, 1, json.length - 1);
  }

  written(): Uint8Array {
    return this.#out.subarray(0, this.#at);
  }
}

keepOptimised(new Writer(0));

function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}
