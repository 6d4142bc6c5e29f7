import { SENTENCE_MARKS } from './sentence-marks.ts';

/** Classes of UTF-16 units, for the rules that find sentences. A lone surrogate is a `SYMBOL`. */
export const SYMBOL = 0;
export const LOWER = 1;
export const UPPER = 2;
const UNCASED = 3;
export const DIGIT = 4;
export const SPACE = 5;
/** Characters that open a quotation or a bracket, or enclose an aside or emphasis. */
export const OPENER = 6;
export const CLOSER = 7;
/** Ends a sentence if white space follows: `.`, `!`, `?`, `…`. */
export const MARK = 8;
/** Ends a sentence regardless of what follows: `。`, `।`, `؟`. */
export const FULL_MARK = 9;
/** Ends a sentence in some scripts: `;` in Greek, `:` in Armenian, a double `၊` in Burmese. */
export const SCRIPT_MARK = 10;

const UNITS = 0x10000;
const ROW = 0x800;

/** If several patterns match a unit, the last one counts. */
const CLASSES: readonly (readonly [type: number, pattern: RegExp])[] = [
  [UNCASED, /\p{L}|\p{M}/gu],
  [LOWER, /\p{Lowercase}/gu],
  [UPPER, /\p{Uppercase}|\p{Lt}/gu],
  [DIGIT, /\p{Nd}/gu],
  [SPACE, /\p{White_Space}/gu],
  [OPENER, /[\p{Ps}\p{Pi}¿¡„‚\-–—―*_>]/gu],
  [CLOSER, /[\p{Pe}\p{Pf}"'`*_]/gu],
  [FULL_MARK, new RegExp(`[${SENTENCE_MARKS.join('')}]`, 'gu')],
  [MARK, /[.!?…‥]/gu],
  [SCRIPT_MARK, /[;:\u104a]/gu],
];

let classes: Uint8Array | undefined;

/** The class of each UTF-16 unit. The first call builds the table. */
export function unitClasses(): Uint8Array {
  classes ??= classify();
  return classes;
}

function classify(): Uint8Array {
  const byUnit = new Uint8Array(UNITS);
  for (let from = 0; from < UNITS; from += ROW) {
    // Skips surrogates, because they would form pairs in the joined string.
    if (from >= 0xd800 && from < 0xe000) continue;
    const row = String.fromCharCode(...Array.from({ length: ROW }, (_, index) => from + index));
    for (const [type, pattern] of CLASSES) {
      for (const { index } of row.matchAll(pattern)) byUnit[from + index] = type;
    }
  }
  return byUnit;
}

export function isInlineSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0xa0 || unit === 0x3000;
}

export function isLetter(type: number): boolean {
  return type === LOWER || type === UPPER || type === UNCASED;
}
