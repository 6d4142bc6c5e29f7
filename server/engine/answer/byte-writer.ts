import { keepOptimised } from '../../../core/engine/keep-optimised.ts';
import { ServiceError } from '../../../core/errors.ts';
import {
  NUMBER_BYTES,
  writeAscii,
  writeInteger,
  writeVector,
} from '../../../plugins/toolkit/json/ascii-numbers.ts';
import { release } from '../memory.ts';

/** Maximum bytes to copy in a loop: a native call costs more for shorter texts. */
const SHORT_COPY = 48;
/** Maximum units to encode in a loop: `JSON.stringify` is usually slower for shorter texts. */
const SHORT_TEXT = 512;
/** The UTF-16 units of a short text. Reading them from an array is faster than from a sliced string. */
const units = new Uint16Array(SHORT_TEXT);
const unitBytes = Buffer.from(units.buffer);
const { charCodeAt } = String.prototype;
const UNIT_BYTES = 3;
const INTEGER_BYTES = 16;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE = 0x5d;
const PLAIN = 0;
const REFUSED = 1;

/** The escape of each ASCII character. `REFUSED` means that `JSON.stringify` has to write the text. */
const ESCAPES = Uint8Array.from({ length: 0x80 }, (_, unit) => (unit < 0x20 ? REFUSED : PLAIN));
for (const [character, letter] of ['""', '\\\\', '\nn', '\rr', '\tt']) {
  ESCAPES[(character as string).charCodeAt(0)] = (letter as string).charCodeAt(0);
}

/** Maximum bytes of an answer that is written without counting first. */
const UNCOUNTED = 67_108_864;
const SCRATCH = 1_048_576;

/**
 * Writes an answer. The bytes of a large answer are first counted without keeping them. So a refused answer takes
 * no memory, and an accepted one gets an array of its exact size.
 *
 * @param limit maximum bytes of the answer
 * @param estimate expected bytes; if too low, the answer is written a second time
 * @param write must write the same bytes in each call
 * @throws ServiceError `answer_too_large`
 */
export function writeWithin(
  limit: number,
  estimate: number,
  write: (writer: ByteWriter) => void,
): Uint8Array<ArrayBuffer> {
  if (estimate <= UNCOUNTED) {
    const writer = new ByteWriter(Math.min(limit, UNCOUNTED), estimate);
    try {
      write(writer);
      return writer.written();
    } catch (error) {
      writer.release();
      const isTooLarge = error instanceof ServiceError && error.code === 'answer_too_large';
      if (!isTooLarge || limit <= UNCOUNTED) throw error;
    }
  }
  const counter = new ByteWriter(limit, SCRATCH, true);
  write(counter);
  const writer = new ByteWriter(limit, counter.count());
  write(writer);
  return writer.written();
}

/**
 * Fills a growing array with JSON. It encodes each text separately: a single character beyond Latin-1 would make a
 * whole JSON string two-byte, which is slower.
 */
export class ByteWriter {
  readonly #limit: number;
  #out: Buffer<ArrayBuffer>;
  #at = 0;
  /** Start of the part that the limit applies to. */
  #from = 0;
  /** Bytes that were counted and then dropped from the array. */
  #counted = 0;
  readonly #isCounting: boolean;

  /**
   * @param limit maximum bytes, in total or per part
   * @param size bytes of the first allocation
   * @param isCounting counts the bytes without keeping them; cannot be used with parts
   */
  constructor(limit: number, size: number, isCounting = false) {
    this.#limit = limit;
    this.#isCounting = isCounting;
    this.#out = Buffer.allocUnsafeSlow(size);
  }

  /** Begins another part. @throws ServiceError `answer_too_large` if the previous part is too large */
  beginPart(): void {
    this.#refuseTooMuch();
    this.#from = this.#at;
  }

  dropPart(): void {
    this.#at = this.#from;
  }

  ascii(text: string): void {
    this.#reserve(text.length);
    if (text.length > SHORT_COPY) this.#at += this.#out.write(text, this.#at, 'latin1');
    else this.#at = writeAscii(text, this.#out, this.#at);
  }

  bytes(source: Uint8Array, from: number, to: number): void {
    this.#reserve(to - from);
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

  /** Writes a number; infinities and NaN become `null`. */
  number(value: number): void {
    if (Number.isSafeInteger(value) && value >= 0) {
      this.#reserve(INTEGER_BYTES);
      this.#at = writeInteger(value, this.#out, this.#at);
    } else this.json(JSON.stringify(value ?? null));
  }

  characters(text: string): void {
    const { length } = text;
    if (length > SHORT_TEXT || !this.#short(text, length)) this.json(JSON.stringify(text).slice(1, -1));
  }

  text(text: string): void {
    this.#byte(QUOTE);
    this.characters(text);
    this.#byte(QUOTE);
  }

  texts(texts: readonly string[]): void {
    this.#byte(OPEN);
    for (let index = 0; index < texts.length; index++) {
      if (index > 0) this.#byte(COMMA);
      this.text(texts[index] as string);
    }
    this.#byte(CLOSE);
  }

  json(json: string): void {
    this.#reserve(json.length * UNIT_BYTES);
    this.#at += this.#out.write(json, this.#at);
  }

  /** Writes a list of numbers with the fewest digits that keep their single precision. */
  vector(vector: Float32Array): void {
    this.#reserve(vector.length * NUMBER_BYTES + 2);
    this.#at = writeVector(vector, this.#out, this.#at);
  }

  /** The written bytes, in memory that nothing else uses. @throws ServiceError `answer_too_large` */
  written(): Uint8Array<ArrayBuffer> {
    this.#refuseTooMuch();
    return this.#out.subarray(0, this.#at);
  }

  /** The number of bytes written. @throws ServiceError `answer_too_large` */
  count(): number {
    this.#refuseTooMuch();
    return this.#counted + this.#at;
  }

  release(): void {
    release(this.#out);
  }

  #byte(byte: number): void {
    this.#reserve(1);
    this.#out[this.#at++] = byte;
  }

  /** Writes a text unit by unit. If it has surrogates or rare control characters, only returns false. */
  #short(text: string, length: number): boolean {
    this.#reserve(length * UNIT_BYTES);
    if (length > SHORT_COPY) unitBytes.write(text, 'utf16le');
    else for (let index = 0; index < length; index++) units[index] = charCodeAt.call(text, index);
    const out = this.#out;
    let at = this.#at;
    for (let index = 0; index < length; index++) {
      const unit = units[index] as number;
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

  #reserve(bytes: number): void {
    if (this.#out.length - this.#at >= bytes) return;
    this.#refuseTooMuch();
    if (this.#isCounting) {
      this.#counted += this.#at;
      this.#at = 0;
      if (this.#out.length >= bytes) return;
    }
    const most = this.#from + this.#limit + bytes;
    const grown = Buffer.allocUnsafeSlow(Math.max(Math.min(2 * this.#out.length, most), this.#at + bytes));
    this.#out.copy(grown, 0, 0, this.#at);
    release(this.#out);
    this.#out = grown;
  }

  #refuseTooMuch(): void {
    const bytes = this.#counted + this.#at - this.#from;
    if (bytes <= this.#limit) return;
    throw new ServiceError('answer_too_large', { bytes, limit: this.#limit });
  }
}

keepOptimised(new ByteWriter(0, 0));
