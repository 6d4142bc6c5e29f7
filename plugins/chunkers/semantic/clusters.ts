import { keepOptimised } from '../../../core/keep-optimised.ts';
import type { SentenceVectors } from './sentence-vectors.ts';

/** What a division into clusters is sought by. */
export interface ClusterLimits {
  /** Most tokens of a cluster, unless it is a single piece. */
  readonly size: number;
  /** Fewest sentences of a cluster, as far as `size` allows it. */
  readonly minSentences: number;
  /** Similarity from which on a pair speaks for being together. */
  readonly offset: number;
}

/** Most pieces of a cluster: it bounds the time per sentence. */
const MOST_PIECES = 128;

/**
 * The division of a text whose clusters have the highest sum of `similarity - offset` over all pairs of
 * sentences within a cluster. Raising the offset never leaves more pairs together. A piece is a sentence
 * with a vector and those without one behind it.
 *
 * The similarities of a cluster's pairs are read from the length of the sum of its vectors, so that the time
 * is that of the sentences times the sentences of the largest cluster.
 *
 * @param tokens of all sentences before each one, and of all
 * @returns the sentences that the clusters begin with, without the first one
 */
export function findClusters(
  vectors: SentenceVectors,
  tokens: Float64Array,
  limits: ClusterLimits,
  signal: AbortSignal,
): number[] {
  const search = new ClusterSearch(vectors, tokens, limits);
  for (let end = 1; end <= vectors.places.length; end++) {
    if (end % 1000 === 0) signal.throwIfAborted();
    search.extendTo(end);
  }
  return search.starts();
}

/**
 * The offset for a threshold: the mean similarity of all pairs of the text at 0.5, as it is usual, and from
 * there to -1 (all pairs belong together) at 0, and to 1 (only equal ones do) at 1.
 */
export function offsetFor(threshold: number, vectors: SentenceVectors): number {
  const mean = meanPair(vectors);
  const offset = threshold < 0.5 ? 2 * threshold * (mean + 1) - 1 : mean + (2 * threshold - 1) * (1 - mean);
  return offset - MARGIN;
}

/** Above what equal vectors differ by in their last bits. */
const MARGIN = 1e-4;

function meanPair({ places: { length }, values, dimensions }: SentenceVectors): number {
  if (length < 2) return 0;
  const sum = new Float64Array(dimensions);
  for (let row = 0; row < length; row++) addTo(sum, values, row * dimensions);
  const square = sum.reduce((total, value) => total + value * value, 0);
  return (square - length) / (length * (length - 1));
}

/** Costs more than any similarities can gain. */
const TOO_SHORT = 1e6;

class ClusterSearch {
  readonly #vectors: SentenceVectors;
  readonly #tokens: Float64Array;
  readonly #limits: ClusterLimits;
  /** The best worth of the pieces before each one, and the start of the last cluster of that division. */
  readonly #worth: Float64Array;
  readonly #from: Uint32Array;
  readonly #sum: Float64Array;

  constructor(vectors: SentenceVectors, tokens: Float64Array, limits: ClusterLimits) {
    this.#vectors = vectors;
    this.#tokens = tokens;
    this.#limits = limits;
    this.#worth = new Float64Array(vectors.places.length + 1);
    this.#from = new Uint32Array(vectors.places.length + 1);
    this.#sum = new Float64Array(vectors.dimensions);
  }

  /** Finds the best last cluster of the pieces before `end`, when it is known for all before. */
  extendTo(end: number): void {
    const { values, dimensions } = this.#vectors;
    const { size, minSentences, offset } = this.#limits;
    this.#sum.fill(0);
    let gain = 0;
    let best = Number.NEGATIVE_INFINITY;
    for (let start = end - 1; start >= 0 && start >= end - MOST_PIECES; start--) {
      if (start < end - 1 && this.#count(this.#tokens, start, end) > size) break;
      gain += addAndMultiply(this.#sum, values, start * dimensions) - offset * (end - 1 - start);
      const isShort = this.#placeOf(end) - this.#placeOf(start) < minSentences;
      const worth = (this.#worth[start] as number) + gain - (isShort ? TOO_SHORT : 0);
      if (worth <= best) continue;
      best = worth;
      this.#from[end] = start;
    }
    this.#worth[end] = best;
  }

  starts(): number[] {
    const starts: number[] = [];
    for (let end = this.#vectors.places.length; end > 0; end = this.#from[end] as number) {
      const start = this.#from[end] as number;
      if (start > 0) starts.push(this.#placeOf(start));
    }
    return starts.reverse();
  }

  #count(totals: Float64Array, start: number, end: number): number {
    return (totals[this.#placeOf(end)] as number) - (totals[this.#placeOf(start)] as number);
  }

  /** The sentence that a piece begins with; the first piece also has what stands before it. */
  #placeOf(piece: number): number {
    if (piece === 0) return 0;
    return this.#vectors.places[piece] ?? this.#tokens.length - 1;
  }
}

keepOptimised(
  new ClusterSearch(
    { places: new Uint32Array(), values: new Float32Array(), dimensions: 0 },
    new Float64Array(1),
    { size: 1, minSentences: 1, offset: 0 },
  ),
);

function addTo(sum: Float64Array, values: Float32Array, from: number): void {
  for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] as number) + (values[from + at] as number);
}

/** Adds a row to a sum, and gives the product of the row with the sum as it was. */
function addAndMultiply(sum: Float64Array, values: Float32Array, from: number): number {
  let product = 0;
  for (let at = 0; at < sum.length; at++) {
    const before = sum[at] as number;
    const value = values[from + at] as number;
    product += before * value;
    sum[at] = before + value;
  }
  return product;
}
