import { readFileSync } from 'node:fs';

/** The version of the vectors of texts that a vocabulary does not know. Vectors of two versions cannot be compared. */
export const LEXICAL_VERSION = 'parts-3';

/** Values in the row of a part. The file has 4 bits per value. */
const ROW = 256;
/** Bytes of a part in the file: its hash, its scale and its row. */
const PART_BYTES = 8 + ROW / 2;
/** The 4-bit code that means zero. */
const MIDDLE = 8;

/** Number of dimensions that a part's hash selects. The part's weight is added to or subtracted from each. */
const SIGNS = 4;
/** The weight of a part that has no row, because it is rare. */
const RAREST = 7;

/**
 * Writes the vector of a text, from the text's parts, into `target`: its length is 1, or 0 if the text has no
 * letter, digit or pictograph. Texts that share rare parts, or parts of the same topics, get similar vectors.
 */
export type LexicalVectors = (text: string, target: Float32Array) => void;

export function createLexicalVectors(dimensions: number): LexicalVectors {
  const { hashes, scales, levels } = readRows();
  const sums = new Float64Array(dimensions);
  const width = Math.min(ROW, dimensions);

  /** Adds the row and, in the dimensions after it, signs of the same length. */
  function addRow(part: number, row: number, times: number): void {
    const scale = times * (scales[row] as number);
    const from = (row * ROW) / 2;
    for (let at = 0; at < width; at += 2) {
      const pair = levels[from + at / 2] as number;
      sums[at] = (sums[at] as number) + scale * ((pair & 15) - MIDDLE);
      sums[at + 1] = (sums[at + 1] as number) + scale * ((pair >> 4) - MIDDLE);
    }
    if (dimensions > ROW) addSigns(sums, ROW, part, scale * Math.sqrt(squareOf(levels, row) / SIGNS));
  }

  return (text, target) => {
    const counts = new Map<number, number>();
    forEachPart(text, (hash) => {
      // Maps are faster with signed integers.
      const part = hash | 0;
      counts.set(part, (counts.get(part) ?? 0) + 1);
    });
    sums.fill(0);
    for (const [part, count] of counts) {
      const times = 1 + Math.log(count);
      const row = placeOf(part >>> 0, hashes);
      if (row < 0) addSigns(sums, 0, part, times * RAREST);
      else addRow(part, row, times);
    }
    const scale = inverse(sums);
    for (let at = 0; at < dimensions; at++) target[at] = (sums[at] as number) * scale;
  };
}

interface Rows {
  /** Rising hashes of the parts. */
  readonly hashes: Uint32Array;
  readonly scales: Float32Array;
  /** Values by part, two in a byte, the first in the lower bits. */
  readonly levels: Uint8Array;
}

let read: Rows | undefined;

function readRows(): Rows {
  read ??= parseRows(readFileSync(new URL(`${LEXICAL_VERSION}.bin`, import.meta.url)));
  return read;
}

function parseRows({ buffer, byteOffset, byteLength }: Buffer<ArrayBuffer>): Rows {
  const bytes = buffer.slice(byteOffset, byteOffset + byteLength);
  const parts = byteLength / PART_BYTES;
  return {
    hashes: new Uint32Array(bytes, 0, parts),
    scales: new Float32Array(bytes, 4 * parts, parts),
    levels: new Uint8Array(bytes, 8 * parts),
  };
}

/** The place of a value among rising ones, or -1. */
function placeOf(value: number, values: Uint32Array): number {
  let low = 0;
  let high = values.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = values[middle] as number;
    if (found === value) return middle;
    if (found < value) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

function squareOf(levels: Uint8Array, row: number): number {
  let square = 0;
  for (let at = (row * ROW) / 2; at < ((row + 1) * ROW) / 2; at++) {
    const pair = levels[at] as number;
    square += ((pair & 15) - MIDDLE) ** 2 + ((pair >> 4) - MIDDLE) ** 2;
  }
  return square;
}

function addSigns(sum: Float64Array, first: number, part: number, weight: number): void {
  let bits = part;
  for (let sign = 0; sign < SIGNS; sign++) {
    bits = (Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    const at = first + ((bits >>> 8) % (sum.length - first));
    sum[at] = (sum[at] as number) + ((bits & 1) === 1 ? weight : -weight);
  }
}

function inverse(vector: Float64Array): number {
  let square = 0;
  for (let at = 0; at < vector.length; at++) square += (vector[at] as number) * (vector[at] as number);
  return square === 0 ? 0 : 1 / Math.sqrt(square);
}

type OnPart = (hash: number) => void;

/**
 * Matches three kinds of text: runs of dense scripts (no spaces between words, or many endings as in Korean);
 * words of all other scripts; pictographs.
 */
const RUNS =
  /([\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ー]+)|[[\p{L}\p{M}\p{N}]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ー]]+|\p{Extended_Pictographic}/gv;

/** `RUNS` for long texts. Runs have at most 1000 characters: a longer one could overflow the stack. */
const SHORT_RUNS = new RegExp(RUNS.source.replaceAll(']+', ']{1,1000}'), RUNS.flags);
const LONG_TEXT = 100_000;

function runsOf(text: string) {
  return text.matchAll(text.length > LONG_TEXT ? SHORT_RUNS : RUNS);
}

/** Matches 30 marks before another mark. Normalising takes quadratic time in a run of marks (see UAX #15). */
const MANY_MARKS = /[\p{M}\uff9e\uff9f]{30}(?=[\p{M}\uff9e\uff9f])/gu;
const MIN_MARKED = 10_000;

function normalized(text: string): string {
  const limited = text.length < MIN_MARKED ? text : text.replace(MANY_MARKS, '$&\u034f');
  return limited.normalize('NFKC').toLowerCase();
}

/**
 * Visits the parts of a text, ignoring case and compatibility forms. In dense scripts, such as Chinese, parts
 * are characters and pairs of characters. In other scripts, parts are words, beginnings of words, and
 * stretches of four characters.
 */
export function forEachPart(text: string, onPart: OnPart): void {
  for (const [run, dense] of runsOf(normalized(text))) {
    if (dense === undefined) readWord(run, onPart);
    else readPairs(run, onPart);
  }
}

function readPairs(run: string, onPart: OnPart): void {
  let before = 0;
  let whole = SEED;
  let hasPart = false;
  const give = (hash: number) => {
    hasPart = true;
    onPart(mixed(hash));
  };
  for (const character of run) {
    const code = character.codePointAt(0) as number;
    if (code >= FIRST_IDEOGRAPH) give(step(SEED, code));
    if (before > 0 && !(isHiragana(before) && isHiragana(code))) give(step(step(SEED, before), code));
    before = code;
    whole = step(whole, code);
  }
  if (!hasPart) give(whole);
}

/** In dense scripts, such as Chinese, each character from this code point on is also a part by itself. */
const FIRST_IDEOGRAPH = 0x3400;

/** Whether a character is hiragana. Pairs of hiragana are not parts: they are endings or particles. */
const isHiragana = (code: number): boolean => code >= 0x3040 && code < 0x30a0;

/** The code that represents the start and end of a word in hashes. */
const EDGE = 1;

const BEGINNING = 5;
const STRETCH = 4;

function readWord(word: string, onPart: OnPart): void {
  let whole = step(SEED, EDGE);
  for (let at = 0; at < word.length; at++) {
    whole = step(whole, word.charCodeAt(at));
    if (at === BEGINNING - 1 && word.length > BEGINNING) onPart(mixed(whole));
  }
  onPart(mixed(step(whole, EDGE)));
  if (word.length < STRETCH - 1) return;
  for (let at = -1; at + STRETCH <= word.length + 1; at++) {
    let hash = SEED;
    for (let next = at; next < at + STRETCH; next++) hash = step(hash, codeAt(word, next));
    onPart(mixed(hash));
  }
}

const codeAt = (word: string, at: number): number =>
  at < 0 || at >= word.length ? EDGE : word.charCodeAt(at);

const SEED = 0x811c9dc5;
const step = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193);

function mixed(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** Letters of no script, such as the micro sign, are not of another one. */
const OTHER_SCRIPT = /[\p{L}--\p{sc=Latin}--\p{sc=Common}]/v;
/** Matches UTF-16 units that may belong to non-Latin scripts: a fast test before `OTHER_SCRIPT`. */
const OTHER_UNIT =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: these are ranges of units, not of characters.
  /[\xb5\u02b9-\u1dff\u1f00-\u1fff\u2070-\u209f\u20d0-\u218f\u2c00-\ud83b\ud840-\udbff\ue000-\ufdff\ufe70-\uffff]/;

/** Counts the words in other scripts than Latin. In a dense script (Chinese) each character counts as a word. */
export function countOtherWords(text: string): number {
  if (!OTHER_UNIT.test(text) || !OTHER_SCRIPT.test(text)) return 0;
  let words = 0;
  for (const [run, dense] of runsOf(text)) {
    if (dense !== undefined) words += [...dense].length;
    else if (OTHER_SCRIPT.test(run)) words++;
  }
  return words;
}
