import { UNICODE_RUNS } from './unicode-runs.ts';

/**
 * Classes that the patterns of the encodings distinguish, one bit each. `SURROGATE` has no bit: it is the
 * class of UTF-16 surrogates.
 */
export const SURROGATE = 0;
/** Symbols, punctuation, controls and unassigned code points. */
export const OTHER = 1;
/** `\p{M}`, which counts as a symbol in gpt2 and cl100k and as a letter in o200k. */
export const MARK = 2;
/** `\p{N}` */
export const NUMBER = 4;
/** `\s` without line feed and carriage return. */
export const SPACE = 8;
/** Line feed and carriage return. */
export const NEWLINE = 16;
/** `\p{Lu}` and `\p{Lt}` */
export const UPPER = 32;
/** `\p{Ll}` */
export const LOWER = 64;
/** `\p{Lm}` and `\p{Lo}`, which count as both upper and lower case. */
export const CASELESS = 128;

export const LETTER = UPPER | LOWER | CASELESS;
export const WHITE = SPACE | NEWLINE;
export const SYMBOL = OTHER | MARK;

const CODE_POINTS = 0x110000;
const RADIX = 36;
const FIRST_CLASS_LETTER = 'A'.charCodeAt(0);

export function buildUnicodeClasses(): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(CODE_POINTS);
  const classes = new Uint8Array(buffer).fill(OTHER);
  let codePoint = 0;
  for (const [run] of UNICODE_RUNS.matchAll(/[A-Z][0-9a-z]*/g)) {
    const end = codePoint + (run.length === 1 ? 1 : Number.parseInt(run.slice(1), RADIX));
    classes.fill(1 << (run.charCodeAt(0) - FIRST_CLASS_LETTER), codePoint, end);
    codePoint = end;
  }
  classes.fill(SURROGATE, 0xd800, 0xe000);
  return buffer;
}
