import { damped } from '../pooling/mean-pooling.ts';
import { createAccumulator, MAX_ROWS } from '../pooling/row-accumulator.ts';
import type { Table } from '../table/table.ts';
import { createRowFinder, ROW } from './part-rows.ts';

/** Number of dimensions that a part's hash selects. The part's weight is added to or subtracted from each. */
const SIGNS = 4;
/** The weight of a part that has no row, because it is rare. */
const RAREST = 7;

/**
 * Writes the vector of a text, from the text's parts, into `target`: its length is 1, or 0 if the text has no
 * letter, digit or pictograph. Texts that share rare parts, or parts of the same topics, get similar vectors.
 */
export type LexicalVectors = (text: string, target: Float32Array) => void;

/** @param table the rows of frequent parts, from `readPartRows` */
export function createLexicalVectors(table: Table, dimensions: number): LexicalVectors {
  const { rowsStart, stride, shape } = table;
  const rowOf = createRowFinder(table);
  const hashes = table.mapping as Uint32Array;
  const scales = table.weights as Float32Array;
  const width = Math.min(ROW, dimensions);
  const { rows, factors, sums, add } = createAccumulator({
    ...table,
    shape: { ...shape, dimensions: width },
  });
  const values = new Int8Array(table.buffer, rowsStart);
  /** By row, the weight of signs that are as long as the row; 0 where it is not computed yet. */
  const signWeights = new Float64Array(shape.rows);
  const signs = new Float64Array(dimensions);
  /** Occurrences in a text by row; all zero between texts. */
  const counts = new Uint32Array(shape.rows);

  /** Adds rows and, in the dimensions after them, signs of the same length. Resets their counts to zero. */
  function addRows(found: readonly number[]): void {
    let filled = 0;
    for (const row of found) {
      const factor = damped(counts[row] as number) * (scales[row] as number);
      counts[row] = 0;
      if (dimensions > ROW) {
        signWeights[row] ||= signWeightOf(values, row);
        addSigns(signs, ROW, hashes[row] as number, factor * (signWeights[row] as number));
      }
      rows[filled] = rowsStart + row * stride;
      factors[filled++] = factor;
      if (filled < MAX_ROWS) continue;
      add(filled);
      filled = 0;
    }
    add(filled);
  }

  return (text, target) => {
    const found: number[] = [];
    const rare = new Map<number, number>();
    forEachPart(text, (part) => {
      const row = rowOf(part);
      if (row < 0) rare.set(part, (rare.get(part) ?? 0) + 1);
      else if ((counts[row] as number)++ === 0) found.push(row);
    });
    sums.fill(0);
    signs.fill(0);
    addRows(found);
    for (const [part, count] of rare) addSigns(signs, 0, part, damped(count) * RAREST);
    for (let at = 0; at < width; at++) signs[at] = (signs[at] as number) + (sums[at] as number);
    const scale = inverse(signs);
    for (let at = 0; at < dimensions; at++) target[at] = (signs[at] as number) * scale;
  };
}

function signWeightOf(values: Int8Array, row: number): number {
  let square = 0;
  for (let at = row * ROW; at < (row + 1) * ROW; at++) square += (values[at] as number) ** 2;
  return Math.sqrt(square / SIGNS);
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
