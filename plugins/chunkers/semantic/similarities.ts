import type { EmbeddingModel } from '../../../core/kit.ts';

/**
 * Unit vectors of the sentences of a text. A sentence with a zero vector has no topic (`***`, unknown words), and
 * belongs to the previous sentence.
 */
export interface SentenceVectors {
  /** For each vector, the index of its sentence among all sentences, in ascending order. */
  readonly indexes: Uint32Array;
  /** Rows of `dimensions` numbers, each row of length 1. */
  readonly values: Float32Array;
  readonly dimensions: number;
}

export interface EmbeddedSentences {
  readonly vectors: SentenceVectors;
  /** The share of sentences that the model compares by its lexical method, from 0 to 1. */
  readonly lexical: number;
}

export async function embedSentences(
  text: string,
  boundaries: readonly number[],
  model: EmbeddingModel,
  signal: AbortSignal,
): Promise<EmbeddedSentences> {
  const sentences: string[] = [];
  for (let sentence = 0; sentence + 1 < boundaries.length; sentence++) {
    sentences.push(text.slice(boundaries[sentence], boundaries[sentence + 1]));
  }
  const { dimensions, values, fallback } = await model.embed(sentences, { purpose: 'similarity', signal });
  const vectors = toUnitVectors(values, dimensions);
  const lexical = (fallback?.texts ?? 0) / sentences.length;
  return { vectors: withoutCommon(vectors, lexical), lexical };
}

/**
 * Mean similarities of a text's sentences up to which vectors stay as they are, and from which they lose what they have
 * in common: for sentences that the model knows, and for those that it compares by its lexical method.
 */
const COMMON = { known: [0.2, 0.4], lexical: [0.05, 0.15] } as const;

/** Equal vectors stay equal, and the vectors of two topics keep more than one direction. */
const MAX_SHARE = 0.95;

/**
 * Subtracts from the vectors a share of their mean. Where a model does not know a language, or its vectors all point in
 * one direction, sentences are similar whatever their topics are; what is left of their vectors tells topics apart.
 *
 * @param lexical the share of sentences that the model compared by its lexical method
 */
function withoutCommon(vectors: SentenceVectors, lexical: number): SentenceVectors {
  const { indexes, values, dimensions } = vectors;
  const [low, high] = [0, 1].map(
    (at) => (1 - lexical) * (COMMON.known[at] as number) + lexical * (COMMON.lexical[at] as number),
  ) as [number, number];
  const share = MAX_SHARE * Math.min(Math.max((meanSimilarity(vectors) - low) / (high - low), 0), 1);
  if (share === 0) return vectors;
  const mean = sumOf(vectors).map((value) => (value * share) / indexes.length);
  const rest = values.map((value, at) => value - (mean[at % dimensions] as number));
  const units = toUnitVectors(rest, dimensions);
  return { ...units, indexes: units.indexes.map((row) => indexes[row] as number) };
}

/** The mean similarity of all pairs of sentences. */
export function meanSimilarity(vectors: SentenceVectors): number {
  const { length } = vectors.indexes;
  if (length < 2) return 0;
  const square = sumOf(vectors).reduce((total, value) => total + value * value, 0);
  return (square - length) / (length * (length - 1));
}

function sumOf({ indexes, values, dimensions }: SentenceVectors): Float64Array {
  const sum = new Float64Array(dimensions);
  for (let row = 0; row < indexes.length; row++) addTo(sum, values, row * dimensions);
  return sum;
}

export function toUnitVectors(values: Float32Array, dimensions: number): SentenceVectors {
  const count = values.length / dimensions;
  const indexes = new Uint32Array(count);
  const units = new Float32Array(values.length);
  let kept = 0;
  for (let sentence = 0; sentence < count; sentence++) {
    const from = sentence * dimensions;
    const length = Math.sqrt(squareOf(values, from, dimensions));
    if (!(length > 0 && Number.isFinite(length))) continue;
    const to = kept * dimensions;
    const scale = 1 / length;
    for (let at = 0; at < dimensions; at++) units[to + at] = (values[from + at] as number) * scale;
    indexes[kept++] = sentence;
  }
  return { indexes: indexes.subarray(0, kept), values: units.subarray(0, kept * dimensions), dimensions };
}

function squareOf(values: Float32Array, from: number, dimensions: number): number {
  let sum = 0;
  for (let at = from; at < from + dimensions; at++) sum += (values[at] as number) ** 2;
  return sum;
}

function addTo(sum: Float64Array, values: Float32Array, from: number): void {
  for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] as number) + (values[from + at] as number);
}

/**
 * The cosine similarity at each gap between sentences: between the sums of up to `window` unit vectors on each side.
 * Gap `i` is before vector `i + 1`. The time does not depend on the window.
 */
export function gapSimilarities(vectors: SentenceVectors, window: number): Float64Array {
  const similarities = new Float64Array(Math.max(vectors.indexes.length - 1, 0));
  const sums = startSums(vectors, window);
  for (let gap = 0; gap < similarities.length; gap++) similarities[gap] = stepAndCompare(sums);
  return similarities;
}

/**
 * For each of `gaps`, the highest similarity of the bridges over the gap; minus infinity if there is none. A bridge
 * compares the window before one gap with the window after a later gap. It covers at most `skip` stretches between gaps.
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
  const highest = gaps.map(() => Number.NEGATIVE_INFINITY);
  for (let from = 0; from < gaps.length; from++) {
    for (let to = from + 1; to < gaps.length && to - from <= skip; to++) {
      raise(highest, from, to, similarityOf(from, to));
    }
  }
  return highest;
}

function raise(values: number[], from: number, to: number, value: number): void {
  for (let index = from; index <= to; index++) values[index] = Math.max(values[index] as number, value);
}

interface WindowSums {
  readonly before: Float64Array;
  readonly after: Float64Array;
  readonly vectors: SentenceVectors;
  readonly window: number;
  at: number;
}

function startSums(vectors: SentenceVectors, window: number): WindowSums {
  const sums: WindowSums = {
    before: new Float64Array(vectors.dimensions),
    after: new Float64Array(vectors.dimensions),
    vectors,
    window: Math.min(window, vectors.indexes.length),
    at: 0,
  };
  for (let row = 0; row < sums.window; row++) addTo(sums.after, vectors.values, row * vectors.dimensions);
  return sums;
}

function stepAndCompare(sums: WindowSums): number {
  const { before, after, vectors, window } = sums;
  const { values, dimensions, indexes } = vectors;
  const row = sums.at++;
  const entering = row + window < indexes.length ? (row + window) * dimensions : -1;
  const leaving = row >= window ? (row - window) * dimensions : -1;
  return advance(before, after, values, row * dimensions, entering, leaving);
}

/** Moves a vector from `after` to `before`, adds one to `after` and removes one from `before` (offset -1: none). */
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

/** Steps per 1 to which similarities are rounded. */
const STEPS = 1e7;

/** Rounds a similarity, so that equal gaps stay equal: sums of the same values differ in their last bits. */
export function rounded(similarity: number): number {
  return Math.round(similarity * STEPS) / STEPS;
}

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
  // If opposite vectors cancel out, the window shows no topic, and the similarity is 1.
  return scale < 1 / STEPS ? 1 : rounded(product / scale);
}
