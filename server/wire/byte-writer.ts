import { keepOptimised } from '../../core/engine/keep-optimised.ts';
import { ServiceError } from '../../core/errors.ts';
import { NUMBER_BYTES, writeAscii, writeInteger, writeVector } from './numbers.ts';

/** Longest stretch to copy byte by byte: for these a native call costs more. */
const SHORT_COPY = 48;
/** Longest text to encode unit by unit; `JSON.stringify` and a native call take longer for most of these. */
const SHORT_TEXT = 512;
/** The units of such a text: reading them from an array is faster than from a slice of a text. */
const units = new Uint16Array(SHORT_TEXT);
const unitBytes = Buffer.from(units.buffer);
/** Most bytes that a UTF-16 unit takes in UTF-8. */
const UNIT_BYTES = 3;
/** Most digits of a safe integer. */
const INTEGER_BYTES = 16;

const BACKSLASH = 0x5c;
const PLAIN = 0;
const REFUSED = 1;

/**
 * For each ASCII character what follows the backslash in its escape: `PLAIN` if it needs none, `REFUSED` if
 * `JSON.stringify` has to write it.
 */
const ESCAPES = Uint8Array.from({ length: 0x80 }, (_, unit) => (unit < 0x20 ? REFUSED : PLAIN));
for (const [character, letter] of ['""', '\\\\', '\nn', '\rr', '\tt']) {
  ESCAPES[(character as string).charCodeAt(0)] = (letter as string).charCodeAt(0);
}

/**
 * Fills a growing array with JSON. Each text is encoded by itself: a single character beyond Latin-1 would make
 * the JSON of a whole answer a string of two bytes per character, which takes longer to make and to encode.
 */
export class ByteWriter {
  readonly #limit: number;
  #out: Buffer<ArrayBuffer>;
  #at = 0;
  /** Where the part begins that the limit is for. */
  #from = 0;

  /**
   * @param limit most bytes that may be written, or of each part
   * @param size bytes to make room for at first
   */
  constructor(limit: number, size: number) {
    this.#limit = limit;
    this.#out = Buffer.allocUnsafeSlow(size);
  }

  /** Begins another part. @throws ServiceError `answer_too_large` if the one before it is */
  beginPart(): void {
    this.#refuseTooMuch();
    this.#from = this.#at;
  }

  /** Takes back what was written of the part. */
  dropPart(): void {
    this.#at = this.#from;
  }

  /** Writes ASCII that needs no escape. */
  ascii(text: string): void {
    this.#reserve(text.length);
    this.#at = writeAscii(text, this.#out, this.#at);
  }

  /** Copies bytes that are JSON already. */
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

  /** Writes a number of any kind; what JSON does not have becomes `null`. */
  number(value: number): void {
    if (Number.isSafeInteger(value) && value >= 0) {
      this.#reserve(INTEGER_BYTES);
      this.#at = writeInteger(value, this.#out, this.#at);
    } else this.json(JSON.stringify(value ?? null));
  }

  /** Writes a text as the content of a string literal, without its quotes. */
  characters(text: string): void {
    if (text.length > SHORT_TEXT || !this.#short(text)) this.json(JSON.stringify(text).slice(1, -1));
  }

  /** Writes JSON that is still a string. */
  json(json: string): void {
    this.#reserve(json.length * UNIT_BYTES);
    this.#at += this.#out.write(json, this.#at);
  }

  /** Writes a list of numbers with eight decimals. */
  vector(vector: Float32Array): void {
    this.#reserve(vector.length * NUMBER_BYTES + 2);
    this.#at = writeVector(vector, this.#out, this.#at);
  }

  /**
   * The bytes that were written; nothing else uses their memory.
   *
   * @throws ServiceError `answer_too_large`
   */
  written(): Uint8Array<ArrayBuffer> {
    this.#refuseTooMuch();
    return this.#out.subarray(0, this.#at);
  }

  /** Writes a text unit by unit. Writes nothing and returns false if it has surrogates or rare control characters. */
  #short(text: string): boolean {
    const { length } = text;
    this.#reserve(length * UNIT_BYTES);
    unitBytes.write(text, 'utf16le');
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
    const grown = Buffer.allocUnsafeSlow(Math.max(2 * this.#out.length, this.#at + bytes));
    this.#out.copy(grown, 0, 0, this.#at);
    this.#out = grown;
  }

  #refuseTooMuch(): void {
    const bytes = this.#at - this.#from;
    if (bytes <= this.#limit) return;
    throw new ServiceError('answer_too_large', { bytes, limit: this.#limit });
  }
}

keepOptimised(new ByteWriter(0, 0));
