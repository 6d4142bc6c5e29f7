import { createPointClasses } from '../../../core/kit.ts';
import { rounded } from './similarities.ts';

/**
 * The words of sentences as sparse vectors of length 1. A word weighs more the fewer sentences of the text have it. Row
 * `i` belongs to vector `i` of the sentences.
 */
export interface SentenceWords {
  /** Where the words of each row start in `ids` and `weights`; finally the number of all entries. */
  readonly starts: Uint32Array;
  readonly ids: Uint32Array;
  readonly weights: Float64Array;
  /** Number of different words. */
  readonly size: number;
}

/** The second unit of a surrogate pair. */
const SECOND_UNIT = 0;
/** What a character is: of a script without spaces between words, of another word, or neither. */
const DENSE = 1;
const WORD = 2;
const NEITHER = 3;

const classAt = createPointClasses((character) => {
  if (/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ー]/u.test(character))
    return DENSE;
  return /[\p{L}\p{M}\p{N}]/u.test(character) ? WORD : NEITHER;
});

/** Maximum characters of a word, or of characters that are read in pairs. */
const MAX_RUN = 1000;

/** Words that begin with the same characters count as the same word: most differ in their endings only. */
const BEGINNING = 5;

/**
 * Reads the words of sentences, ignoring case. In scripts without spaces between words, pairs of characters count as
 * words.
 *
 * @param boundaries of all sentences
 * @param indexes the sentences with rows; the words of other sentences belong to the previous row
 */
export function readWords(
  text: string,
  boundaries: ArrayLike<number>,
  indexes: ArrayLike<number>,
): SentenceWords {
  const known = new Map<string, number>();
  /** For each word, the number of rows that have it, and the last entry of such a row. */
  const rows: number[] = [];
  const last: number[] = [];
  const starts = new Uint32Array(indexes.length + 1);
  // Words begin at different units of the text. Growing arrays take several times as long.
  const ids = new Uint32Array(text.length);
  const weights = new Float64Array(text.length);
  let entries = 0;
  const add = (word: string, start: number) => {
    let id = known.get(word);
    if (id === undefined) {
      id = known.size;
      known.set(word, id);
      rows.push(0);
      last.push(-1);
    }
    const entry = last[id] as number;
    if (entry >= start) (weights[entry] as number)++;
    else {
      last[id] = entries;
      ids[entries] = id;
      weights[entries++] = 1;
      (rows[id] as number)++;
    }
  };
  for (let row = 0; row < indexes.length; row++) {
    const from = row === 0 ? 0 : (boundaries[indexes[row] as number] as number);
    const to = boundaries[indexes[row + 1] ?? boundaries.length - 1] as number;
    const start = entries;
    const lower = text.slice(from, to).toLowerCase();
    findWords(lower, (from, to) => add(lower.slice(from, to), start));
    starts[row + 1] = entries;
  }
  const rarities = rows.map((count) => rarity(count, indexes.length));
  for (let entry = 0; entry < entries; entry++)
    weights[entry] = (weights[entry] as number) * (rarities[ids[entry] as number] as number);
  scaleRows(weights, starts);
  return { starts, ids: ids.slice(0, entries), weights: weights.slice(0, entries), size: known.size };
}

/** Finds the beginnings of words, and the pairs of dense characters. */
function findWords(text: string, onWord: (from: number, to: number) => void): void {
  let at = 0;
  while (at < text.length) {
    const type = classAt(text, at);
    const end = runEnd(text, at, type);
    if (type === WORD) onWord(at, Math.min(end, at + BEGINNING));
    else if (type === DENSE) findPairs(text, at, end, onWord);
    at = end;
  }
}

/** The end of the characters of class `type` that begin at `start`. */
function runEnd(text: string, start: number, type: number): number {
  let at = start;
  for (let characters = 0; at < text.length; at++) {
    const next = classAt(text, at);
    if (next === SECOND_UNIT) continue;
    if (next !== type || characters === MAX_RUN) break;
    characters++;
  }
  return at;
}

/** Finds all pairs except those of two hiragana, which are endings and particles. */
function findPairs(
  text: string,
  start: number,
  end: number,
  onWord: (from: number, to: number) => void,
): void {
  let before = -1;
  let here = start;
  for (let at = start + 1; at <= end; at++) {
    if (at < end && classAt(text, at) === SECOND_UNIT) continue;
    if (before !== -1 && !(isHiragana(text, before) && isHiragana(text, here))) onWord(before, at);
    before = here;
    here = at;
  }
}

function isHiragana(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0x3040 && unit < 0x30a0;
}

/** The weight of a word. A word of a single sentence connects nothing, so it counts half. */
function rarity(rows: number, all: number): number {
  return Math.log((all + 1) / rows) * (rows === 1 ? 0.5 : 1);
}

function scaleRows(weights: Float64Array, starts: Uint32Array): void {
  for (let row = 0; row + 1 < starts.length; row++) {
    const [start, end] = [starts[row] as number, starts[row + 1] as number];
    let square = 0;
    for (let entry = start; entry < end; entry++)
      square += (weights[entry] as number) * (weights[entry] as number);
    const scale = square === 0 ? 0 : 1 / Math.sqrt(square);
    for (let entry = start; entry < end; entry++) weights[entry] = (weights[entry] as number) * scale;
  }
}

/** The overlap of words at a gap that says neither that the topic changes nor that it goes on. */
export const USUAL_OVERLAP = 0.35;

/**
 * How much the words on both sides of each gap overlap, from 0 to 1: the cosine of their sums over up to `window` rows,
 * divided by the mean of the nearest maxima before and after the gap. Where no word is repeated, it is the usual
 * overlap. The time does not depend on the window.
 */
export function wordOverlaps(words: SentenceWords, window: number): Float64Array {
  const cosines = gapCosines(words, window);
  const { length } = cosines;
  const peaks = new Float64Array(length);
  let peak = 0;
  for (let gap = 0; gap < length; gap++) {
    const here = cosines[gap] as number;
    if (gap === 0 || (cosines[gap - 1] as number) < here) peak = here;
    peaks[gap] = peak / 2;
  }
  for (let gap = length - 1; gap >= 0; gap--) {
    const here = cosines[gap] as number;
    if (gap === length - 1 || (cosines[gap + 1] as number) < here) peak = here;
    peaks[gap] = (peaks[gap] as number) + peak / 2;
  }
  return cosines.map((cosine, gap) => (cosine + CHANCE * USUAL_OVERLAP) / ((peaks[gap] as number) + CHANCE));
}

/** A cosine of this size is mostly chance. */
const CHANCE = 0.01;
/** A sum whose square is smaller has no words, apart from rounding errors. */
const EMPTY = 1e-9;

function gapCosines(words: SentenceWords, window: number): Float64Array {
  const count = words.starts.length - 1;
  const before: Side = { sums: new Float64Array(words.size), square: 0 };
  const after: Side = { sums: new Float64Array(words.size), square: 0 };
  let product = 0;
  for (let row = 0; row < Math.min(window, count); row++)
    product = addRow(words, row, 1, after, before, product);
  const cosines = new Float64Array(Math.max(count - 1, 0));
  for (let gap = 0; gap < cosines.length; gap++) {
    product = addRow(words, gap, -1, after, before, product);
    product = addRow(words, gap, 1, before, after, product);
    if (gap + window < count) product = addRow(words, gap + window, 1, after, before, product);
    if (gap >= window) product = addRow(words, gap - window, -1, before, after, product);
    if (before.square < EMPTY || after.square < EMPTY) continue;
    cosines[gap] = rounded(Math.max(product, 0) / Math.sqrt(before.square * after.square));
  }
  return cosines;
}

/** The sums of the words on one side of a gap. */
interface Side {
  readonly sums: Float64Array;
  square: number;
}

/** Adds a row to a side, or subtracts it. @returns the product of both sides after it, given the one before it */
function addRow(
  { starts, ids, weights }: SentenceWords,
  row: number,
  sign: number,
  side: Side,
  other: Side,
  product: number,
): number {
  const end = starts[row + 1] as number;
  let { square } = side;
  let result = product;
  for (let entry = starts[row] as number; entry < end; entry++) {
    const id = ids[entry] as number;
    const change = sign * (weights[entry] as number);
    const sum = side.sums[id] as number;
    result += change * (other.sums[id] as number);
    square += change * (2 * sum + change);
    side.sums[id] = sum + change;
  }
  side.square = square;
  return result;
}

/** The mean product of all pairs of rows. */
export function meanOverlap(words: SentenceWords): number {
  const rows = words.starts.length - 1;
  if (rows < 2) return 0;
  const sums = new Float64Array(words.size);
  let own = 0;
  for (let entry = 0; entry < words.ids.length; entry++) {
    const id = words.ids[entry] as number;
    const weight = words.weights[entry] as number;
    sums[id] = (sums[id] as number) + weight;
    own += weight * weight;
  }
  const square = sums.reduce((total, value) => total + value * value, 0);
  return (square - own) / (rows * (rows - 1));
}
