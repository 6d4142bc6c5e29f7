import { addTo, type SentenceVectors } from './similarities.ts';

export interface ClusterLimits {
  readonly size: number;
  /** Minimum sentences of a cluster, as far as `size` allows. */
  readonly minSentences: number;
  /** Minimum characters of a cluster, as far as `size` allows. */
  readonly minCharacters: number;
  /** Pairs of sentences with a similarity above this offset should be in one cluster. */
  readonly offset: number;
}

/** Running totals: for each sentence, the sum of all sentences before it; finally, the sum of all sentences. */
export interface Sizes {
  readonly tokens: Float64Array;
  readonly characters: Float64Array;
}

/** Maximum pieces of a cluster; limits the time per sentence. */
const MAX_PIECES = 128;

/**
 * Divides a text so that the sum of `similarity - offset` over all pairs of pieces within a cluster is highest. A
 * piece is a sentence with a vector, and the following sentences without vectors. A higher offset never keeps more
 * pairs together. The sum over pairs follows from the sum of the vectors, so the time is proportional to the pieces
 * times the largest cluster.
 *
 * @returns the first sentence of each cluster, except the first cluster
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
    worth: new Float64Array(vectors.indexes.length + 1),
    from: new Uint32Array(vectors.indexes.length + 1),
    sum: new Float64Array(vectors.dimensions),
  };
  for (let end = 1; end <= vectors.indexes.length; end++) {
    if (end % 1000 === 0) signal.throwIfAborted();
    extendTo(search, end);
  }
  return startsOf(search);
}

/**
 * Converts a threshold to an offset, linearly between three points. Threshold 0 gives -1: all pairs belong together.
 * 0.5 gives the mean similarity of all pairs of the text. 1 gives 1: only equal sentences belong together.
 */
export function offsetFor(threshold: number, vectors: SentenceVectors): number {
  const mean = meanPair(vectors);
  const offset = threshold < 0.5 ? 2 * threshold * (mean + 1) - 1 : mean + (2 * threshold - 1) * (1 - mean);
  return offset - MARGIN;
}

/** More than the rounding error in the similarity of equal vectors. */
const MARGIN = 1e-4;

function meanPair({ indexes: { length }, values, dimensions }: SentenceVectors): number {
  if (length < 2) return 0;
  const sum = new Float64Array(dimensions);
  for (let row = 0; row < length; row++) addTo(sum, values, row * dimensions);
  const square = sum.reduce((total, value) => total + value * value, 0);
  return (square - length) / (length * (length - 1));
}

const TOO_SHORT = 1e6;

interface Search {
  readonly vectors: SentenceVectors;
  readonly sizes: Sizes;
  readonly limits: ClusterLimits;
  readonly worth: Float64Array;
  readonly from: Uint32Array;
  readonly sum: Float64Array;
}

/** Finds the best division of the pieces before `end`, given the best divisions for all earlier ends. */
function extendTo(search: Search, end: number): void {
  const { worth, from, sum } = search;
  const { tokens, characters } = search.sizes;
  const { values, dimensions } = search.vectors;
  const { size, minSentences, minCharacters, offset } = search.limits;
  const endSentence = sentenceOf(search, end);
  const endTokens = tokens[endSentence] as number;
  const endCharacters = characters[endSentence] as number;
  sum.fill(0);
  let gain = 0;
  let best = Number.NEGATIVE_INFINITY;
  for (let start = end - 1; start >= 0 && start >= end - MAX_PIECES; start--) {
    const sentence = sentenceOf(search, start);
    if (start < end - 1 && endTokens - (tokens[sentence] as number) > size) break;
    gain += addAndMultiply(sum, values, start * dimensions) - offset * (end - 1 - start);
    const isShort =
      endSentence - sentence < minSentences ||
      endCharacters - (characters[sentence] as number) < minCharacters;
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
  for (let end = vectors.indexes.length; end > 0; end = from[end] as number) {
    const start = from[end] as number;
    if (start > 0) starts.push(sentenceOf(search, start));
  }
  return starts.reverse();
}

/** The first sentence of a piece; 0 for the first piece, even if its first sentences lack vectors. */
function sentenceOf({ vectors, sizes }: Search, piece: number): number {
  if (piece === 0) return 0;
  return vectors.indexes[piece] ?? sizes.tokens.length - 1;
}

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
