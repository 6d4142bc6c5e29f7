import { keepOptimised } from '../../../core/keep-optimised.ts';
import type { SentenceVectors } from './sentence-vectors.ts';

/**
 * The cosine similarity at every gap between sentences: of the sum of up to `window` unit vectors before it
 * with the sum of as many after it. The gap at index `i` lies before the vector `i + 1`. Sums run along, so
 * that the cost does not depend on the window.
 */
export function gapSimilarities(vectors: SentenceVectors, window: number): Float64Array {
  const similarities = new Float64Array(Math.max(vectors.places.length - 1, 0));
  const sums = new WindowSums(vectors, window);
  for (let gap = 0; gap < similarities.length; gap++) similarities[gap] = sums.stepAndCompare();
  return similarities;
}

/**
 * For each of the given gaps the highest similarity of any bridge over it: from the window before one of
 * the gaps to the window after another one, with at most `skip` of the stretches between the gaps under it.
 */
export function bridgedSimilarities(
  vectors: SentenceVectors,
  window: number,
  gaps: readonly number[],
  skip: number,
): number[] {
  const { dimensions } = vectors;
  const sums = new WindowSums(vectors, window);
  const before = new Float32Array(gaps.length * dimensions);
  const after = new Float32Array(gaps.length * dimensions);
  gaps.forEach((gap, index) => {
    sums.moveTo(gap);
    before.set(sums.before, index * dimensions);
    after.set(sums.after, index * dimensions);
  });
  const highest = gaps.map((_, index) =>
    cosine(before, after, index * dimensions, index * dimensions, dimensions),
  );
  for (let from = 0; from < gaps.length; from++) {
    for (let to = from + 1; to < gaps.length && to - from <= skip; to++) {
      const similarity = cosine(before, after, from * dimensions, to * dimensions, dimensions);
      for (let index = from; index <= to; index++) {
        highest[index] = Math.max(highest[index] as number, similarity);
      }
    }
  }
  return highest;
}

/** The sums of the windows on both sides of a gap that moves on. */
class WindowSums {
  readonly before: Float64Array;
  readonly after: Float64Array;
  readonly #vectors: SentenceVectors;
  readonly #window: number;
  /** The vector behind the gap. */
  #at = 0;

  constructor(vectors: SentenceVectors, window: number) {
    this.before = new Float64Array(vectors.dimensions);
    this.after = new Float64Array(vectors.dimensions);
    this.#vectors = vectors;
    this.#window = Math.min(window, vectors.places.length);
    for (let row = 0; row < this.#window; row++) this.#add(this.after, row, 1);
  }

  /** Moves to the gap before the vector `gap + 1`; never back. */
  moveTo(gap: number): void {
    while (this.#at <= gap) this.#step();
  }

  /** Moves to the next gap and gives its similarity, in one pass over the dimensions. */
  stepAndCompare(): number {
    const { values, dimensions, places } = this.#vectors;
    const row = this.#at++;
    const entering = row + this.#window < places.length ? (row + this.#window) * dimensions : -1;
    const leaving = row >= this.#window ? (row - this.#window) * dimensions : -1;
    return advance(this.before, this.after, values, row * dimensions, entering, leaving);
  }

  #step(): void {
    const row = this.#at++;
    this.#add(this.after, row, -1);
    this.#add(this.after, row + this.#window, 1);
    this.#add(this.before, row, 1);
    this.#add(this.before, row - this.#window, -1);
  }

  #add(sum: Float64Array, row: number, sign: 1 | -1): void {
    const { values, dimensions, places } = this.#vectors;
    if (row >= 0 && row < places.length) addRow(sum, values, row * dimensions, sign);
  }
}

keepOptimised(new WindowSums({ places: new Uint32Array(), values: new Float32Array(), dimensions: 0 }, 1));

function addRow(sum: Float64Array, values: Float32Array, from: number, sign: 1 | -1): void {
  for (let at = 0; at < sum.length; at++) {
    sum[at] = (sum[at] as number) + sign * (values[from + at] as number);
  }
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

function cosine(
  first: Float64Array | Float32Array,
  second: Float64Array | Float32Array,
  fromFirst: number,
  fromSecond: number,
  dimensions: number,
): number {
  let product = 0;
  let firstSquare = 0;
  let secondSquare = 0;
  for (let at = 0; at < dimensions; at++) {
    const x = first[fromFirst + at] as number;
    const y = second[fromSecond + at] as number;
    product += x * y;
    firstSquare += x * x;
    secondSquare += y * y;
  }
  return settled(product, firstSquare, secondSquare);
}

function settled(product: number, firstSquare: number, secondSquare: number): number {
  const scale = Math.sqrt(firstSquare * secondSquare);
  // Opposite vectors may cancel out: such a window says nothing.
  return scale < 1 / STEPS ? 1 : Math.round((product / scale) * STEPS) / STEPS;
}
