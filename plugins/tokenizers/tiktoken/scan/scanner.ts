import { NUMBER, SURROGATE, SYMBOL, WHITE } from './unicode-classes.ts';

/**
 * Finds the end of the piece that starts at `start`, reading no unit at or beyond `end`: the text is taken to end
 * there. A piece is what one match of the encoding's pattern takes. `start` must be less than `end`. Scanning is
 * stateless, so the pieces after an offset depend on nothing before it.
 */
export type Scanner = (units: Uint16Array, classes: Uint8Array, start: number, end: number) => number;

const BLANK = 0x20;
const REPLACEMENT_CHARACTER = 0xfffd;

/** The class of the code point at `index`; a lone surrogate counts as U+FFFD, as in tiktoken. */
export function classAt(units: Uint16Array, classes: Uint8Array, index: number, end: number): number {
  const found = classes[units[index] as number] as number;
  return found === SURROGATE ? (classes[codePointAt(units, index, end)] as number) : found;
}

/** The code point at `index`, U+FFFD for a lone surrogate. */
export function codePointAt(units: Uint16Array, index: number, end: number): number {
  const unit = units[index] as number;
  if ((unit & 0xf800) !== 0xd800) return unit;
  if (!isPair(units, index, end)) return REPLACEMENT_CHARACTER;
  return 0x10000 + ((unit & 0x3ff) << 10) + ((units[index + 1] as number) & 0x3ff);
}

/** The offset after the code point at `index`. */
export function afterCodePoint(units: Uint16Array, index: number, end: number): number {
  return isPair(units, index, end) ? index + 2 : index + 1;
}

/** The end of the run of code points from `index` whose class is in `mask`. */
export function skipRun(
  units: Uint16Array,
  classes: Uint8Array,
  index: number,
  end: number,
  mask: number,
): number {
  let at = index;
  while (at < end) {
    const found = classes[units[at] as number] as number;
    if ((found & mask) !== 0) at += 1;
    else if (found === SURROGATE && (classAt(units, classes, at, end) & mask) !== 0)
      at = afterCodePoint(units, at, end);
    else break;
  }
  return at;
}

/** `\p{N}{1,3}` at a number. */
export function skipThreeNumbers(
  units: Uint16Array,
  classes: Uint8Array,
  index: number,
  end: number,
): number {
  let at = index;
  for (let taken = 0; taken < 3 && at < end; taken += 1) {
    if ((classAt(units, classes, at, end) & NUMBER) === 0) break;
    at = afterCodePoint(units, at, end);
  }
  return at;
}

/** `\s+(?!\S)|\s+` at white space: a run leaves its last character to the text that follows it. */
export function skipSpaces(units: Uint16Array, classes: Uint8Array, index: number, end: number): number {
  const runEnd = skipRun(units, classes, index, end, WHITE);
  return runEnd === end || runEnd === index + 1 ? runEnd : runEnd - 1;
}

/** `\s*[\r\n]+|\s+(?!\S)|\s+` at white space: a run with line ends goes up to the last of them. */
export function skipLinesOrSpaces(
  units: Uint16Array,
  classes: Uint8Array,
  index: number,
  end: number,
): number {
  const runEnd = skipRun(units, classes, index, end, WHITE);
  let lineEnd = runEnd;
  while (lineEnd > index && !isLineEnd(units[lineEnd - 1] as number)) lineEnd -= 1;
  if (lineEnd > index) return lineEnd;
  return runEnd === end || runEnd === index + 1 ? runEnd : runEnd - 1;
}

/** `[^\s\p{L}\p{N}]+` from `index`, or from after one blank there; `index` itself if there is no symbol. */
export function skipSymbols(units: Uint16Array, classes: Uint8Array, index: number, end: number): number {
  const from = units[index] === BLANK ? index + 1 : index;
  const runEnd = skipRun(units, classes, from, end, SYMBOL);
  return runEnd === from ? index : runEnd;
}

/**
 * `(?i:'s|'t|'re|'ve|'m|'ll|'d)` at an apostrophe; `index` itself if there is none. Case-insensitively, `s` is also
 * U+017F, the long s.
 */
export function skipContraction(units: Uint16Array, index: number, end: number): number {
  if (index + 1 >= end) return index;
  const first = units[index + 1] as number;
  if (first === LONG_S) return index + 2;
  switch (first | CASE_BIT) {
    case LETTER_S:
    case LETTER_T:
    case LETTER_M:
    case LETTER_D:
      return index + 2;
    case LETTER_R:
    case LETTER_V:
      return isLetter(units, index + 2, end, LETTER_E) ? index + 3 : index;
    case LETTER_L:
      return isLetter(units, index + 2, end, LETTER_L) ? index + 3 : index;
    default:
      return index;
  }
}

const CASE_BIT = 0x20;
const LONG_S = 0x17f;
const LETTER_D = 0x64;
const LETTER_E = 0x65;
const LETTER_L = 0x6c;
const LETTER_M = 0x6d;
const LETTER_R = 0x72;
const LETTER_S = 0x73;
const LETTER_T = 0x74;
const LETTER_V = 0x76;

function isLetter(units: Uint16Array, index: number, end: number, lowerCase: number): boolean {
  return index < end && ((units[index] as number) | CASE_BIT) === lowerCase;
}

/** Whether a surrogate pair begins at `index`, with both halves before `end`. */
export function isPair(units: Uint16Array, index: number, end: number): boolean {
  return (
    ((units[index] as number) & 0xfc00) === 0xd800 &&
    index + 1 < end &&
    ((units[index + 1] as number) & 0xfc00) === 0xdc00
  );
}

function isLineEnd(unit: number): boolean {
  return unit === 0x0a || unit === 0x0d;
}
