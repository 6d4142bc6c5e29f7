import { ServiceError } from './errors.ts';
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
  const writer = new ObjectWriter(limit);
  if (isBatch) writer.ascii('[');
  lists.forEach((list, place) => {
    writer.ascii(place === 0 ? '[' : ',[');
    list.forEach((object, index) => {
      if (index > 0) writer.ascii(',');
      writer.object(object);
    });
    writer.ascii(']');
  });
  if (isBatch) writer.ascii(']');
  return writer.written();
}

const FIRST_SIZE = 1 << 16;
/** Most bytes of a UTF-16 unit in UTF-8. */
const UNIT_BYTES = 3;

/** Fills a growing array with JSON. */
class ObjectWriter {
  readonly #limit: number;
  #out: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(FIRST_SIZE);
  #at = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  ascii(text: string): void {
    this.#reserve(text.length);
    this.#at += this.#out.write(text, this.#at, 'latin1');
  }

  object(object: object): void {
    const vectors = vectorsOf(object);
    if (vectors === undefined) {
      this.#json(JSON.stringify(object));
      return;
    }
    const rest = JSON.stringify({ ...object, ...vectors.absent });
    this.#json(rest.slice(0, -1));
    vectors.entries.forEach(([name, vector], index) => {
      this.#json(`${index === 0 && rest === '{}' ? '' : ','}${JSON.stringify(name)}:`);
      this.#vector(vector);
    });
    this.ascii('}');
  }

  written(): Uint8Array {
    this.#refuseTooMuch();
    return this.#out.subarray(0, this.#at);
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

keepOptimised(new ObjectWriter(0));

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
