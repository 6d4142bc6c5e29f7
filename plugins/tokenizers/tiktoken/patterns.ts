import {
  CASELESS,
  LETTER,
  LOWER,
  MARK,
  NEWLINE,
  NUMBER,
  SURROGATE,
  SYMBOL,
  UPPER,
  WHITE,
} from './unicode-classes.ts';

/**
 * Returns the end of the piece at `start`: one match of the encoding's pattern in `units[start, end)`, with
 * `start` below `end`. Scanning is stateless: pieces after an offset do not depend on the text before it.
 */
export type Scanner = (units: Uint16Array, classes: Uint8Array, start: number, end: number) => number;

/** A scanner, and the pattern of the rank file that it implements. */
export interface Pattern {
  readonly source: string;
  readonly scan: Scanner;
}

const APOSTROPHE = 0x27;
const BLANK = 0x20;
const SLASH = 0x2f;
const CASE_BIT = 0x20;
const REPLACEMENT_CHARACTER = 0xfffd;

const UPPERISH = UPPER | CASELESS | MARK;
const LOWERISH = LOWER | CASELESS | MARK;
const NEITHER_CASE = CASELESS | MARK;

export const GPT2: Pattern = {
  source: String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
  scan(units, classes, start, end) {
    const first = units[start] as number;
    if (first === APOSTROPHE) {
      const contraction = skipContraction(units, start, end);
      if (contraction > start && isLowerCase(units, start + 1, contraction)) return contraction;
    }
    const from = first === BLANK && start + 1 < end ? start + 1 : start;
    const found = classAt(units, classes, from, end);
    if ((found & LETTER) !== 0) return skipRun(units, classes, from, end, LETTER);
    if ((found & NUMBER) !== 0) return skipRun(units, classes, from, end, NUMBER);
    if ((found & WHITE) !== 0) return skipSpaces(units, classes, start, end);
    return skipSymbols(units, classes, from, end);
  },
};

export const CL100K: Pattern = {
  source: String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  scan(units, classes, start, end) {
    if (units[start] === APOSTROPHE) {
      const contraction = skipContraction(units, start, end);
      if (contraction > start) return contraction;
    }
    const found = classAt(units, classes, start, end);
    if ((found & LETTER) !== 0) return skipRun(units, classes, start, end, LETTER);
    if ((found & NUMBER) !== 0) return skipThreeNumbers(units, classes, start, end);
    if ((found & NEWLINE) === 0) {
      const from = afterCodePoint(units, start, end);
      const word = skipRun(units, classes, from, end, LETTER);
      if (word > from) return word;
    }
    const symbols = skipSymbols(units, classes, start, end);
    if (symbols > start) return skipRun(units, classes, symbols, end, NEWLINE);
    return skipLinesOrSpaces(units, classes, start, end);
  },
};

export const O200K: Pattern = {
  source: String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  scan(units, classes, start, end) {
    const found = classAt(units, classes, start, end);
    if ((found & NUMBER) !== 0) return skipThreeNumbers(units, classes, start, end);
    const word = skipCasedWord(units, classes, start, end, found);
    if (word > start) return units[word] === APOSTROPHE ? skipContraction(units, word, end) : word;
    const symbols = skipSymbols(units, classes, start, end);
    if (symbols > start) return skipLineEndsAndSlashes(units, classes, symbols, end);
    return skipLinesOrSpaces(units, classes, start, end);
  },
};

/** Skips o200k's word with an optional prefix, without its contraction. Returns `start` without a match. */
function skipCasedWord(
  units: Uint16Array,
  classes: Uint8Array,
  start: number,
  end: number,
  found: number,
): number {
  if ((found & LETTER) !== 0) {
    const word = skipLowerCasedWord(units, classes, start, end);
    return word > start ? word : skipRun(units, classes, start, end, UPPER);
  }
  if ((found & NEWLINE) !== 0) return start;
  const from = afterCodePoint(units, start, end);
  const word = skipLowerCasedWord(units, classes, from, end);
  if (word > from) return word;
  if ((found & MARK) !== 0) return skipLowerCasedWord(units, classes, start, end);
  const upper = skipRun(units, classes, from, end, UPPER);
  return upper > from ? upper : start;
}

/**
 * Matches `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+` at `index`; returns `index` if it does
 * not match. If no lower case follows the first run, the pattern backtracks to its last caseless character.
 */
function skipLowerCasedWord(units: Uint16Array, classes: Uint8Array, index: number, end: number): number {
  let caseless = index;
  let upper = index;
  while (upper < end) {
    const found = classAt(units, classes, upper, end);
    if ((found & UPPERISH) === 0) break;
    upper = afterCodePoint(units, upper, end);
    if ((found & NEITHER_CASE) !== 0) caseless = upper;
  }
  const lower = skipRun(units, classes, upper, end, LOWERISH);
  return lower > upper ? lower : caseless;
}

/** Matches `[\r\n/]*`. */
function skipLineEndsAndSlashes(units: Uint16Array, classes: Uint8Array, index: number, end: number): number {
  let at = index;
  while (at < end && (units[at] === SLASH || (classes[units[at] as number] as number) === NEWLINE)) at += 1;
  return at;
}

function isLowerCase(units: Uint16Array, start: number, end: number): boolean {
  for (let index = start; index < end; index += 1) {
    const unit = units[index] as number;
    if ((unit & CASE_BIT) === 0 || unit > 0x7f) return false;
  }
  return true;
}

function classAt(units: Uint16Array, classes: Uint8Array, index: number, end: number): number {
  const found = classes[units[index] as number] as number;
  return found === SURROGATE ? (classes[codePointAt(units, index, end)] as number) : found;
}

export function codePointAt(units: Uint16Array, index: number, end: number): number {
  const unit = units[index] as number;
  if ((unit & 0xf800) !== 0xd800) return unit;
  if (!isPair(units, index, end)) return REPLACEMENT_CHARACTER;
  return 0x10000 + ((unit & 0x3ff) << 10) + ((units[index + 1] as number) & 0x3ff);
}

export function afterCodePoint(units: Uint16Array, index: number, end: number): number {
  return isPair(units, index, end) ? index + 2 : index + 1;
}

function skipRun(units: Uint16Array, classes: Uint8Array, index: number, end: number, mask: number): number {
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

/** Matches `\p{N}{1,3}` at a number. */
function skipThreeNumbers(units: Uint16Array, classes: Uint8Array, index: number, end: number): number {
  let at = index;
  for (let taken = 0; taken < 3 && at < end; taken += 1) {
    if ((classAt(units, classes, at, end) & NUMBER) === 0) break;
    at = afterCodePoint(units, at, end);
  }
  return at;
}

/** Matches `\s+(?!\S)|\s+` at white space. A run of two or more leaves its last character to later text. */
function skipSpaces(units: Uint16Array, classes: Uint8Array, index: number, end: number): number {
  const runEnd = skipRun(units, classes, index, end, WHITE);
  return runEnd === end || runEnd === index + 1 ? runEnd : runEnd - 1;
}

/** Matches `\s*[\r\n]+|\s+(?!\S)|\s+` at white space. A run with line ends extends to the last of them. */
function skipLinesOrSpaces(units: Uint16Array, classes: Uint8Array, index: number, end: number): number {
  const runEnd = skipRun(units, classes, index, end, WHITE);
  let lineEnd = runEnd;
  while (lineEnd > index && !isLineEnd(units[lineEnd - 1] as number)) lineEnd -= 1;
  if (lineEnd > index) return lineEnd;
  return runEnd === end || runEnd === index + 1 ? runEnd : runEnd - 1;
}

/** Matches `[^\s\p{L}\p{N}]+` at `index`, or after one blank at `index`; otherwise returns `index`. */
function skipSymbols(units: Uint16Array, classes: Uint8Array, index: number, end: number): number {
  const from = units[index] === BLANK ? index + 1 : index;
  const runEnd = skipRun(units, classes, from, end, SYMBOL);
  return runEnd === from ? index : runEnd;
}

/**
 * Matches `(?i:'s|'t|'re|'ve|'m|'ll|'d)` at an apostrophe; returns `index` if it does not match.
 * Case-insensitively, `s` also matches U+017F, the long s.
 */
function skipContraction(units: Uint16Array, index: number, end: number): number {
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
