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

/**
 * Runs of scripts without spaces between words, and other words. Runs have at most 1000 characters, because longer ones
 * could overflow the stack.
 */
const RUNS =
  /([\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ー]{1,1000})|[[\p{L}\p{M}\p{N}]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}ー]]{1,1000}/gv;

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
  const ids: number[] = [];
  const counts: number[] = [];
  const starts = new Uint32Array(indexes.length + 1);
  const add = (word: string, start: number) => {
    let id = known.get(word);
    if (id === undefined) {
      id = known.size;
      known.set(word, id);
      rows.push(0);
      last.push(-1);
    }
    const entry = last[id] as number;
    if (entry >= start) (counts[entry] as number)++;
    else {
      last[id] = ids.push(id) - 1;
      counts.push(1);
      (rows[id] as number)++;
    }
  };
  for (let row = 0; row < indexes.length; row++) {
    const from = row === 0 ? 0 : (boundaries[indexes[row] as number] as number);
    const to = boundaries[indexes[row + 1] ?? boundaries.length - 1] as number;
    const start = ids.length;
    for (const [run, dense] of text.slice(from, to).toLowerCase().matchAll(RUNS)) {
      if (dense === undefined) add(run.slice(0, BEGINNING), start);
      else addPairs(dense, start, add);
    }
    starts[row + 1] = ids.length;
  }
  const weights = new Float64Array(ids.length);
  const rarities = rows.map((count) => rarity(count, indexes.length));
  for (let entry = 0; entry < weights.length; entry++) {
    weights[entry] = (counts[entry] as number) * (rarities[ids[entry] as number] as number);
  }
  scaleRows(weights, starts);
  return { starts, ids: new Uint32Array(ids), weights, size: known.size };
}

/** Adds all pairs except those of two hiragana, which are endings and particles. */
function addPairs(run: string, start: number, add: (word: string, start: number) => void): void {
  let before = '';
  for (const character of run) {
    if (before !== '' && !(isHiragana(before) && isHiragana(character))) add(before + character, start);
    before = character;
  }
}

const isHiragana = (character: string): boolean => character >= '\u3040' && character < '\u30a0';

/** The weight of a word. A word of a single sentence connects nothing, so it counts half. */
function rarity(rows: number, all: number): number {
  return Math.log((all + 1) / rows) * (rows === 1 ? 0.5 : 1);
}

function scaleRows(weights: Float64Array, starts: Uint32Array): void {
  for (let row = 0; row + 1 < starts.length; row++) {
    const entries = weights.subarray(starts[row], starts[row + 1]);
    const square = entries.reduce((sum, weight) => sum + weight * weight, 0);
    const scale = square === 0 ? 0 : 1 / Math.sqrt(square);
    for (let entry = 0; entry < entries.length; entry++) entries[entry] = (entries[entry] as number) * scale;
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
/** Cosines are rounded to this many steps per 1: sums of the same words differ in their last bits. */
const STEPS = 1e7;
/** A sum whose square is smaller has no words, apart from rounding errors. */
const EMPTY = 1e-9;

function gapCosines(words: SentenceWords, window: number): Float64Array {
  const count = words.starts.length - 1;
  const before = new Float64Array(words.size);
  const after = new Float64Array(words.size);
  let [product, beforeSquare, afterSquare] = [0, 0, 0];
  const addBefore = (row: number, sign: number) =>
    forEachWord(words, row, (id, weight) => {
      const change = sign * weight;
      product += change * (after[id] as number);
      beforeSquare += change * (2 * (before[id] as number) + change);
      before[id] = (before[id] as number) + change;
    });
  const addAfter = (row: number, sign: number) =>
    forEachWord(words, row, (id, weight) => {
      const change = sign * weight;
      product += change * (before[id] as number);
      afterSquare += change * (2 * (after[id] as number) + change);
      after[id] = (after[id] as number) + change;
    });
  for (let row = 0; row < Math.min(window, count); row++) addAfter(row, 1);
  return Float64Array.from({ length: Math.max(count - 1, 0) }, (_, gap) => {
    addAfter(gap, -1);
    addBefore(gap, 1);
    if (gap + window < count) addAfter(gap + window, 1);
    if (gap >= window) addBefore(gap - window, -1);
    if (beforeSquare < EMPTY || afterSquare < EMPTY) return 0;
    const cosine = Math.max(product, 0) / Math.sqrt(beforeSquare * afterSquare);
    return Math.round(cosine * STEPS) / STEPS;
  });
}

/** The mean product of all pairs of rows. */
export function meanOverlap(words: SentenceWords): number {
  const rows = words.starts.length - 1;
  if (rows < 2) return 0;
  const sums = new Float64Array(words.size);
  let own = 0;
  for (let row = 0; row < rows; row++) {
    forEachWord(words, row, (id, weight) => {
      sums[id] = (sums[id] as number) + weight;
      own += weight * weight;
    });
  }
  const square = sums.reduce((total, value) => total + value * value, 0);
  return (square - own) / (rows * (rows - 1));
}

export function forEachWord(
  { starts, ids, weights }: SentenceWords,
  row: number,
  onWord: (id: number, weight: number) => void,
): void {
  const end = starts[row + 1] as number;
  for (let entry = starts[row] as number; entry < end; entry++)
    onWord(ids[entry] as number, weights[entry] as number);
}
