import { addTo, type SentenceVectors } from './sentence-vectors.ts';

/** The constraints on the clusters of a division. */
export interface ClusterLimits {
  /** Maximum tokens of a cluster, unless it is a single piece. */
  readonly size: number;
  /** Minimum sentences of a cluster, as far as `size` allows it. */
  readonly minSentences: number;
  /** Minimum characters of a cluster, as far as `size` allows it. */
  readonly minCharacters: number;
  /** Similarity above which a pair should be together. */
  readonly offset: number;
}

/** Running totals over the sentences of a text: before each one, and of all. */
export interface Sizes {
  readonly tokens: Float64Array;
  readonly characters: Float64Array;
}

/** Maximum pieces of a cluster, which bounds the time per sentence. */
const MAX_PIECES = 128;

/**
 * The division of a text whose clusters have the highest sum of `similarity - offset` over all pairs of sentences
 * within a cluster. Raising the offset never leaves more pairs together. A piece is a sentence with a vector plus the
 * following ones without.
 * The similarities of a cluster's pairs are computed from the length of the sum of its vectors, so the time is
 * proportional to the number of sentences times the size of the largest cluster.
 *
 * @returns the sentences that the clusters begin with, except the first
 */
export function findClusters(
  vectors: SentenceVectors,
  sizes: Sizes,
  limits: ClusterLimits,
  signal: AbortSignal,
): number[] {
  const search: Search = {
    vectors,
    sizes,
    limits,
    worth: new Float64Array(vectors.places.length + 1),
    from: new Uint32Array(vectors.places.length + 1),
    sum: new Float64Array(vectors.dimensions),
  };
  for (let end = 1; end <= vectors.places.length; end++) {
    if (end % 1000 === 0) signal.throwIfAborted();
    extendTo(search, end);
  }
  return startsOf(search);
}

/**
 * The offset for a threshold: at 0.5 the mean similarity of all pairs of the text, and from there to -1 (all pairs
 * belong together) at 0, and to 1 (only equal ones do) at 1.
 */
export function offsetFor(threshold: number, vectors: SentenceVectors): number {
  const mean = meanPair(vectors);
  const offset = threshold < 0.5 ? 2 * threshold * (mean + 1) - 1 : mean + (2 * threshold - 1) * (1 - mean);
  return offset - MARGIN;
}

/** More than the rounding difference between equal vectors. */
const MARGIN = 1e-4;

function meanPair({ places: { length }, values, dimensions }: SentenceVectors): number {
  if (length < 2) return 0;
  const sum = new Float64Array(dimensions);
  for (let row = 0; row < length; row++) addTo(sum, values, row * dimensions);
  const square = sum.reduce((total, value) => total + value * value, 0);
  return (square - length) / (length * (length - 1));
}

/** More than any similarities can gain. */
const TOO_SHORT = 1e6;

/** The best divisions of the first pieces, for more and more of them. */
interface Search {
  readonly vectors: SentenceVectors;
  readonly sizes: Sizes;
  readonly limits: ClusterLimits;
  /** The best score of the pieces before each one. */
  readonly worth: Float64Array;
  /** The start of the last cluster of that division. */
  readonly from: Uint32Array;
  /** Scratch: the sum of the vectors of a cluster. */
  readonly sum: Float64Array;
}

/** Finds the best last cluster of the pieces before `end`, given the best ones for all earlier ends. */
function extendTo(search: Search, end: number): void {
  const { worth, from, sum } = search;
  const { tokens, characters } = search.sizes;
  const { values, dimensions } = search.vectors;
  const { size, minSentences, minCharacters, offset } = search.limits;
  const endPlace = placeOf(search, end);
  const [endTokens, endCharacters] = [tokens[endPlace] as number, characters[endPlace] as number];
  sum.fill(0);
  let gain = 0;
  let best = Number.NEGATIVE_INFINITY;
  for (let start = end - 1; start >= 0 && start >= end - MAX_PIECES; start--) {
    const place = placeOf(search, start);
    if (start < end - 1 && endTokens - (tokens[place] as number) > size) break;
    gain += addAndMultiply(sum, values, start * dimensions) - offset * (end - 1 - start);
    const isShort =
      endPlace - place < minSentences || endCharacters - (characters[place] as number) < minCharacters;
    const total = (worth[start] as number) + gain - (isShort ? TOO_SHORT : 0);
    if (total <= best) continue;
    best = total;
    from[end] = start;
  }
  worth[end] = best;
}

function startsOf(search: Search): number[] {
  const { from, vectors } = search;
  const starts: number[] = [];
  for (let end = vectors.places.length; end > 0; end = from[end] as number) {
    const start = from[end] as number;
    if (start > 0) starts.push(placeOf(search, start));
  }
  return starts.reverse();
}

/** The sentence that a piece begins with; the first piece also includes what precedes it. */
function placeOf({ vectors, sizes }: Search, piece: number): number {
  if (piece === 0) return 0;
  return vectors.places[piece] ?? sizes.tokens.length - 1;
}

/** Adds a row to a sum, and returns the product of the row with the previous sum. */
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
