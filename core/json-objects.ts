import type { Chunk } from './contracts.ts';
import { ServiceError } from './errors.ts';
import type { JsonText } from './json-text.ts';
import { keepOptimised } from './keep-optimised.ts';

/**
 * Writes lists of objects as JSON: one list, or a list of lists for a batch. Members that are a
 * `Float32Array` become lists of numbers with eight decimals.
 *
 * Each object is written by itself: a single letter beyond Latin-1 would make the JSON of the whole answer
 * a string of two bytes per letter, which takes twice as long to make and to encode.
 *
 * @param limit most bytes of the answer
 * @throws ServiceError `answer_too_large`
 */
export function writeObjects(
  lists: readonly (readonly object[])[],
  isBatch: boolean,
  limit: number,
): Uint8Array {
  const writer = new ObjectWriter(limit, FIRST_SIZE);
  return writeLists(writer, lists, isBatch, (object) => writer.object(object));
}

/** A chunk that a pipeline puts out, and the stretch of the document that its text was made from. */
export interface OutputChunk {
  readonly id: string;
  readonly chunk: Chunk;
  readonly source: Source;
}

/** A stretch of a document, as text and as it stands in JSON. */
export interface Source {
  readonly text: string;
  readonly json: JsonText;
}

/**
 * Writes the chunks of a pipeline as `writeObjects` does, with every field that the interface names. The
 * part of a text that is its source is copied from the source's JSON.
 *
 * @param limit most bytes of the answer
 * @throws ServiceError `answer_too_large`
 */
export function writeOutputs(
  documents: readonly (readonly OutputChunk[])[],
  isBatch: boolean,
  limit: number,
): Uint8Array {
  const sizes = documents.flat().map(sizeOf);
  const size = sizes.reduce((sum, bytes) => sum + bytes, FIRST_SIZE);
  const writer = new ObjectWriter(limit, Math.min(size, limit + FIRST_SIZE));
  return writeLists(writer, documents, isBatch, (output) => writer.output(output));
}

/** About what an output takes beside its texts. */
const OUTPUT_BYTES = 256;

/** About how many bytes an output takes: to make room for all of them at once saves copies. */
function sizeOf({ chunk: { text, context }, source }: OutputChunk): number {
  const added = Math.max(text.length - source.text.length, 0);
  return OUTPUT_BYTES + source.json.length + added + (typeof context === 'string' ? context.length : 0);
}

function writeLists<T>(
  writer: ObjectWriter,
  lists: readonly (readonly T[])[],
  isBatch: boolean,
  write: (item: T) => void,
): Uint8Array {
  if (isBatch) writer.ascii('[');
  lists.forEach((list, place) => {
    writer.ascii(place === 0 ? '[' : ',[');
    list.forEach((item, index) => {
      if (index > 0) writer.ascii(',');
      write(item);
    });
    writer.ascii(']');
  });
  if (isBatch) writer.ascii(']');
  return writer.written();
}

const FIRST_SIZE = 1 << 16;
/** Longest text that is written letter by letter: a call of the engine costs more. */
const SHORT = 128;
/** Most bytes of a UTF-16 unit in UTF-8. */
const UNIT_BYTES = 3;

const BACKSLASH = 0x5c;
const PLAIN = 0;
const REFUSED = 1;

/** What stands behind the backslash that escapes an ASCII character, if one does. */
const ESCAPES = Uint8Array.from({ length: 0x80 }, (_, unit) => (unit < 0x20 ? REFUSED : PLAIN));
for (const [character, letter] of ['""', '\\\\', '\nn', '\rr', '\tt']) {
  ESCAPES[(character as string).charCodeAt(0)] = (letter as string).charCodeAt(0);
}

/** Fills a growing array with JSON. */
class ObjectWriter {
  readonly #limit: number;
  #out: Buffer<ArrayBuffer>;
  #at = 0;

  /** @param size bytes to make room for at first */
  constructor(limit: number, size: number) {
    this.#limit = limit;
    this.#out = Buffer.allocUnsafeSlow(size);
  }

  ascii(text: string): void {
    this.#reserve(text.length);
    this.#at += this.#out.write(text, this.#at, 'latin1');
  }

  object(object: object): void {
    this.ascii('{');
    this.#members(object, '');
    this.ascii('}');
  }

  output({ id, chunk, source }: OutputChunk): void {
    const { start_index, end_index, token_count, context = null, embedding = null } = chunk;
    this.#letters('{"id":"');
    this.#letters(id);
    this.#letters('","text":"');
    this.#madeFrom(source, chunk.text);
    this.#letters('","start_index":');
    this.#count(start_index);
    this.#letters(',"end_index":');
    this.#count(end_index);
    this.#letters(',"token_count":');
    this.#count(token_count);
    this.#members(otherFieldsOf(chunk), ',');
    if (context === null) this.#letters(',"context":null');
    else if (typeof context === 'string') {
      this.#letters(',"context":"');
      this.#characters(context);
      this.#letters('"');
    } else this.#members({ context }, ',');
    if (embedding === null) this.#letters(',"embedding":null');
    else this.#members({ embedding }, ',');
    this.#letters('}');
  }

  /** The content of the literal of a text that has its source in it. */
  #madeFrom(source: Source, text: string): void {
    const at = text.slice(0, source.text.length) === source.text ? 0 : text.indexOf(source.text);
    if (at === -1) this.#characters(text);
    else {
      this.#characters(text.slice(0, at));
      this.#bytes(source.json);
      this.#characters(text.slice(at + source.text.length));
    }
  }

  written(): Uint8Array {
    this.#refuseTooMuch();
    return this.#out.subarray(0, this.#at);
  }

  /** The members of an object, of which the first comes after `separator`. */
  #members(object: object, separator: string): void {
    if (object === NO_OTHERS) return;
    const vectors = vectorsOf(object);
    const json = JSON.stringify(vectors === undefined ? object : { ...object, ...vectors.absent });
    let next = separator;
    if (json.length > 2) {
      this.#json(next + json.slice(1, -1));
      next = ',';
    }
    for (const [name, vector] of vectors?.entries ?? []) {
      this.#json(`${next}${JSON.stringify(name)}:`);
      this.#vector(vector);
      next = ',';
    }
  }

  /** The content of a string literal, without its quotes. */
  #characters(text: string): void {
    if (text.length > SHORT || !this.#short(text)) this.#json(JSON.stringify(text).slice(1, -1));
  }

  /** Short ASCII that needs no escape. */
  #letters(text: string): void {
    this.#reserve(text.length);
    this.#at = writeAscii(text, this.#out, this.#at);
  }

  #count(value: number): void {
    this.#letters(Number.isSafeInteger(value) ? String(value) : JSON.stringify(value ?? null));
  }

  /** Writes a text letter by letter; nothing where it has surrogates, or control characters that are rare. */
  #short(text: string): boolean {
    this.#reserve(text.length * UNIT_BYTES);
    const out = this.#out;
    let at = this.#at;
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      if (unit < 0x80) {
        const letter = ESCAPES[unit] as number;
        if (letter === REFUSED) return false;
        if (letter !== PLAIN) out[at++] = BACKSLASH;
        out[at++] = letter === PLAIN ? unit : letter;
      } else if (unit < 0x800) {
        out[at++] = 0xc0 | (unit >> 6);
        out[at++] = 0x80 | (unit & 0x3f);
      } else {
        if ((unit & 0xf800) === 0xd800) return false;
        out[at++] = 0xe0 | (unit >> 12);
        out[at++] = 0x80 | ((unit >> 6) & 0x3f);
        out[at++] = 0x80 | (unit & 0x3f);
      }
    }
    this.#at = at;
    return true;
  }

  #bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#out.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  #json(json: string): void {
    this.#reserve(json.length * UNIT_BYTES);
    this.#at += this.#out.write(json, this.#at);
  }

  #vector(vector: Float32Array): void {
    this.#reserve(vector.length * NUMBER_BYTES + 2);
    this.#at = writeVector(vector, this.#out, this.#at);
  }

  #reserve(bytes: number): void {
    if (this.#out.length - this.#at >= bytes) return;
    this.#refuseTooMuch();
    const grown = Buffer.allocUnsafeSlow(Math.max(2 * this.#out.length, this.#at + bytes));
    this.#out.copy(grown, 0, 0, this.#at);
    this.#out = grown;
  }

  #refuseTooMuch(): void {
    if (this.#at <= this.#limit) return;
    throw new ServiceError('answer_too_large', { bytes: this.#at, limit: this.#limit, hint: '' });
  }
}

keepOptimised(new ObjectWriter(0, 0));

const OUTPUT_FIELDS = new Set(['text', 'start_index', 'end_index', 'token_count', 'context', 'embedding']);
const NO_OTHERS: object = {};

/** What a chunk has beside the fields of every output. */
function otherFieldsOf(chunk: Chunk): object {
  let others: Record<string, unknown> | undefined;
  for (const name in chunk) {
    if (OUTPUT_FIELDS.has(name)) continue;
    others ??= {};
    others[name] = chunk[name];
  }
  return others ?? NO_OTHERS;
}

/** The members of an object that are vectors, and the same names without a value. */
function vectorsOf(object: object) {
  let entries: [string, Float32Array][] | undefined;
  for (const name in object) {
    const value = (object as Record<string, unknown>)[name];
    if (!(value instanceof Float32Array)) continue;
    entries ??= [];
    entries.push([name, value]);
  }
  if (entries === undefined) return undefined;
  return { entries, absent: Object.fromEntries(entries.map(([name]) => [name, undefined])) };
}

/** Most bytes of a number and its comma. */
const NUMBER_BYTES = 26;
const SCALE = 1e8;
const MOST_SCALED = 2 ** 53;

/** Writes `[x,y,...]` from `at` on, and gives the place behind it. */
function writeVector(vector: Float32Array, out: Uint8Array, at: number): number {
  let place = at;
  out[place++] = 0x5b;
  for (let index = 0; index < vector.length; index++) {
    if (index > 0) out[place++] = 0x2c;
    place = writeNumber(vector[index] as number, out, place);
  }
  out[place++] = 0x5d;
  return place;
}

/** Writes a number with eight decimals, without trailing zeros. What is not finite becomes 0. */
function writeNumber(value: number, out: Uint8Array, at: number): number {
  const scaled = Math.round(Math.abs(value) * SCALE);
  if (!(scaled < MOST_SCALED)) return writeAscii(Number.isFinite(value) ? String(value) : '0', out, at);
  let place = at;
  if (value < 0 && scaled > 0) out[place++] = 0x2d;
  const whole = Math.floor(scaled / SCALE);
  place = whole < 10 ? writeDigit(whole, out, place) : writeAscii(String(whole), out, place);
  let rest = scaled - whole * SCALE;
  if (rest === 0) return place;
  out[place++] = 0x2e;
  for (let power = SCALE / 10; rest > 0; power /= 10) {
    const digit = Math.floor(rest / power);
    out[place++] = 0x30 + digit;
    rest -= digit * power;
  }
  return place;
}

function writeDigit(digit: number, out: Uint8Array, at: number): number {
  out[at] = 0x30 + digit;
  return at + 1;
}

function writeAscii(text: string, out: Uint8Array, at: number): number {
  for (let index = 0; index < text.length; index++) out[at + index] = text.charCodeAt(index);
  return at + text.length;
}
