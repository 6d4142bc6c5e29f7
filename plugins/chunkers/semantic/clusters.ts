import { meanSimilarity, type SentenceVectors } from './similarities.ts';
import { meanOverlap, type SentenceWords } from './words.ts';

/** What is known of the sentences of a text. Rows of words belong to the vectors. */
export interface Sentences {
  readonly vectors: SentenceVectors;
  readonly words: SentenceWords;
}

export interface ClusterLimits {
  readonly size: number;
  /** Minimum sentences of a cluster, as far as `size` allows. */
  readonly minSentences: number;
  /** Minimum size of a cluster in the unit of `Sizes.measured`, as far as `size` allows. */
  readonly minSize: number;
  /** Pairs of sentences with a similarity above this offset should be in one cluster. */
  readonly offset: number;
}

/** Running totals: for each sentence, the sum of all sentences before it; finally, the sum of all sentences. */
export interface Sizes {
  readonly tokens: Float64Array;
  /** In the unit of the minimum size. */
  readonly measured: Float64Array;
}

/** Maximum pieces of a cluster; limits the time per sentence. */
const MAX_PIECES = 128;

/** Share of the words in the similarity of two sentences; the rest is that of the vectors. */
const WORDS = 0.5;

/**
 * Divides a text so that the sum of `similarity - offset` over all pairs of pieces within a cluster is highest. A
 * piece is a sentence with a vector, and the following sentences without vectors. A higher offset never keeps more
 * pairs together. The sum over pairs follows from the sums of vectors and words, so the time is proportional to the
 * pieces times the largest cluster.
 *
 * @returns the first sentence of each cluster, except the first cluster
 */
export function findClusters(
  { vectors, words }: Sentences,
  sizes: Sizes,
  limits: ClusterLimits,
  signal: AbortSignal,
): number[] {
  const search: Search = {
    vectors,
    words,
    wordSums: new Float64Array(words.size),
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
export function offsetFor(threshold: number, { vectors, words }: Sentences): number {
  const mean = (1 - WORDS) * meanSimilarity(vectors) + WORDS * meanOverlap(words);
  const offset = threshold < 0.5 ? 2 * threshold * (mean + 1) - 1 : mean + (2 * threshold - 1) * (1 - mean);
  return offset - MARGIN;
}

/** More than the rounding error in the similarity of equal vectors. */
const MARGIN = 1e-4;

const TOO_SHORT = 1e6;

interface Search extends Sentences {
  readonly wordSums: Float64Array;
  readonly sizes: Sizes;
  readonly limits: ClusterLimits;
  readonly worth: Float64Array;
  readonly from: Uint32Array;
  readonly sum: Float64Array;
}

/** Finds the best division of the pieces before `end`, given the best divisions for all earlier ends. */
function extendTo(search: Search, end: number): void {
  const { worth, from, sum, words, wordSums } = search;
  const { tokens, measured } = search.sizes;
  const { values, dimensions } = search.vectors;
  const { size, minSentences, minSize, offset } = search.limits;
  const endSentence = sentenceOf(search, end);
  const endTokens = tokens[endSentence] as number;
  const endSize = measured[endSentence] as number;
  sum.fill(0);
  let gain = 0;
  let best = Number.NEGATIVE_INFINITY;
  let first = end;
  for (let start = end - 1; start >= 0 && start >= end - MAX_PIECES; start--) {
    const sentence = sentenceOf(search, start);
    if (start < end - 1 && endTokens - (tokens[sentence] as number) > size) break;
    first = start;
    const similarity =
      (1 - WORDS) * addAndMultiply(sum, values, start * dimensions) +
      WORDS * addWords(wordSums, words, start);
    gain += similarity - offset * (end - 1 - start);
    const isShort =
      endSentence - sentence < minSentences || endSize - (measured[sentence] as number) < minSize;
    const total = (worth[start] as number) + gain - (isShort ? TOO_SHORT : 0);
    if (total <= best) continue;
    best = total;
    from[end] = start;
  }
  worth[end] = best;
  const { starts, ids } = words;
  for (let entry = starts[first] as number; entry < (starts[end] as number); entry++)
    wordSums[ids[entry] as number] = 0;
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

function addWords(sums: Float64Array, { starts, ids, weights }: SentenceWords, row: number): number {
  const end = starts[row + 1] as number;
  let product = 0;
  for (let entry = starts[row] as number; entry < end; entry++) {
    const id = ids[entry] as number;
    const before = sums[id] as number;
    const weight = weights[entry] as number;
    product += before * weight;
    sums[id] = before + weight;
  }
  return product;
}
