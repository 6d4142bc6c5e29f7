import { addTo, type SentenceVectors } from './sentence-vectors.ts';

/**
 * The cosine similarity at every gap between sentences: between the sum of up to `window` unit vectors before it and
 * the sum of as many after it. The gap at index `i` lies before the vector `i + 1`. Sums are updated incrementally,
 * so the cost does not depend on the window.
 */
export function gapSimilarities(vectors: SentenceVectors, window: number): Float64Array {
  const similarities = new Float64Array(Math.max(vectors.places.length - 1, 0));
  const sums = startSums(vectors, window);
  for (let gap = 0; gap < similarities.length; gap++) similarities[gap] = stepAndCompare(sums);
  return similarities;
}

/**
 * For each of the given gaps, the highest similarity of any bridge over it: from the window before one of the gaps to
 * the window after another one, with at most `skip` of the stretches between the gaps under it.
 */
export function bridgedSimilarities(
  vectors: SentenceVectors,
  window: number,
  gaps: readonly number[],
  skip: number,
): number[] {
  const sums = startSums(vectors, window);
  const before: Float32Array[] = [];
  const after: Float32Array[] = [];
  for (const gap of gaps) {
    while (sums.at <= gap) stepAndCompare(sums);
    before.push(Float32Array.from(sums.before));
    after.push(Float32Array.from(sums.after));
  }
  const similarityOf = (from: number, to: number) =>
    cosine(before[from] as Float32Array, after[to] as Float32Array);
  const highest = gaps.map((_, index) => similarityOf(index, index));
  for (let from = 0; from < gaps.length; from++) {
    for (let to = from + 1; to < gaps.length && to - from <= skip; to++) {
      raise(highest, from, to, similarityOf(from, to));
    }
  }
  return highest;
}

/** Raises lower values from index `from` up to and including `to`. */
function raise(values: number[], from: number, to: number, value: number): void {
  for (let index = from; index <= to; index++) values[index] = Math.max(values[index] as number, value);
}

/** The sums of the windows on both sides of a moving gap. */
interface WindowSums {
  readonly before: Float64Array;
  readonly after: Float64Array;
  readonly vectors: SentenceVectors;
  readonly window: number;
  /** The vector after the gap. */
  at: number;
}

function startSums(vectors: SentenceVectors, window: number): WindowSums {
  const sums: WindowSums = {
    before: new Float64Array(vectors.dimensions),
    after: new Float64Array(vectors.dimensions),
    vectors,
    window: Math.min(window, vectors.places.length),
    at: 0,
  };
  for (let row = 0; row < sums.window; row++) addTo(sums.after, vectors.values, row * vectors.dimensions);
  return sums;
}

/** Moves to the next gap and returns its similarity, in one pass over the dimensions. */
function stepAndCompare(sums: WindowSums): number {
  const { before, after, vectors, window } = sums;
  const { values, dimensions, places } = vectors;
  const row = sums.at++;
  const entering = row + window < places.length ? (row + window) * dimensions : -1;
  const leaving = row >= window ? (row - window) * dimensions : -1;
  return advance(before, after, values, row * dimensions, entering, leaving);
}

/** Moves a row from the sum after to the sum before, lets others enter and leave, and compares the sums. */
function advance(
  before: Float64Array,
  after: Float64Array,
  values: Float32Array,
  moving: number,
  entering: number,
  leaving: number,
): number {
  let product = 0;
  let beforeSquare = 0;
  let afterSquare = 0;
  for (let at = 0; at < before.length; at++) {
    const moved = values[moving + at] as number;
    const entered = entering < 0 ? 0 : (values[entering + at] as number);
    const left = leaving < 0 ? 0 : (values[leaving + at] as number);
    const x = (before[at] as number) + moved - left;
    const y = (after[at] as number) - moved + entered;
    before[at] = x;
    after[at] = y;
    product += x * y;
    beforeSquare += x * x;
    afterSquare += y * y;
  }
  return settled(product, beforeSquare, afterSquare);
}

/** Similarities closer than this are equal: sums of the same vectors differ in their last bits. */
const STEPS = 1e7;

function cosine(first: Float32Array, second: Float32Array): number {
  let product = 0;
  let firstSquare = 0;
  let secondSquare = 0;
  for (let at = 0; at < first.length; at++) {
    const x = first[at] as number;
    const y = second[at] as number;
    product += x * y;
    firstSquare += x * x;
    secondSquare += y * y;
  }
  return settled(product, firstSquare, secondSquare);
}

function settled(product: number, firstSquare: number, secondSquare: number): number {
  const scale = Math.sqrt(firstSquare * secondSquare);
  // Opposite vectors may cancel out: such a window is not meaningful.
  return scale < 1 / STEPS ? 1 : Math.round((product / scale) * STEPS) / STEPS;
}
