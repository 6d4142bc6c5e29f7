import {
  afterCodePoint,
  classAt,
  type Scanner,
  skipContraction,
  skipLinesOrSpaces,
  skipRun,
  skipSpaces,
  skipSymbols,
  skipThreeNumbers,
} from './scanner.ts';
import { CASELESS, LETTER, LOWER, MARK, NEWLINE, NUMBER, UPPER, WHITE } from './unicode-classes.ts';

/** A scanner and the pattern that it implements, as stated in the rank file. */
export interface Pattern {
  readonly source: string;
  readonly scan: Scanner;
}

const APOSTROPHE = 0x27;
const BLANK = 0x20;
const SLASH = 0x2f;
const CASE_BIT = 0x20;

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

/** o200k's word without its contraction, with the character that may precede it; `start` if there is none. */
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
 * `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+` from `index`; `index` itself if it does not
 * match. If no lower case follows the first run, the pattern steps back to its last caseless character.
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

/** `[\r\n/]*` */
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
