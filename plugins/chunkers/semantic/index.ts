import {
  type ChunkContext,
  type Chunker,
  countCodePoints,
  type EmbeddingModel,
  type Factory,
  type Span,
  type TokenizedText,
} from '../../../core/kit.ts';
import { type Sentences, sentencesBy } from '../../toolkit/prose/index.ts';
import { findClusters, offsetFor, type Sizes } from './clusters.ts';
import type manifest from './manifest.ts';
import type { SemanticOptions } from './manifest.ts';
import { evenOutLast, joinShort, keepApart } from './minimum.ts';
import { embedSentences, type SentenceVectors } from './sentence-vectors.ts';
import { bridgedSimilarities, gapSimilarities } from './similarities.ts';
import { type Smoothed, type Smoothing, smooth } from './smoothing.ts';

const createSemanticChunker: Factory<typeof manifest> = (): Chunker<SemanticOptions, 'embedding'> => ({
  async chunk(text, options, context) {
    const sentences = sentencesBy(options);
    const boundaries = sentences.boundaries(text);
    const starts = await findStarts(text, boundaries, options, context);
    return packSegments(text, boundaries, starts, sentences, options, context);
  },
});

export default createSemanticChunker;

/** The sentences, except the first, that begin a segment: where the topic changes. */
async function findStarts(
  text: string,
  boundaries: readonly number[],
  options: SemanticOptions,
  { model, tokens, signal }: ChunkContext<'embedding'>,
): Promise<number[]> {
  if (boundaries.length <= 2) return [];
  const vectors = await embedSentences(text, boundaries, model, signal);
  signal.throwIfAborted();
  return options.mode === 'threshold'
    ? findLows(vectors, charactersOf(text, boundaries), options, model)
    : findClusters(vectors, sizesOf(text, boundaries, tokens), clusterLimits(options, vectors), signal);
}

/** A text of fewer sentences has no usual similarity. */
const MIN_FOR_AUTO = 8;

/** The sentences after the gaps whose similarity is lowest, and below the threshold. */
function findLows(
  vectors: SentenceVectors,
  characters: Float64Array,
  options: SemanticOptions,
  model: EmbeddingModel,
): number[] {
  const { threshold, similarity_window, skip_window } = options;
  if (threshold === 'auto' && vectors.places.length < MIN_FOR_AUTO) return [];
  const toScale = (cosine: number) => model.calibrate?.(cosine) ?? cosine;
  const { curve, lows } = readSimilarities(gapSimilarities(vectors, similarity_window).map(toScale), options);
  const limit = threshold === 'auto' ? usualLow(curve) : threshold;
  const heights =
    skip_window === 0
      ? lows.map((gap) => curve[gap] as number)
      : bridgedSimilarities(vectors, similarity_window, lows, skip_window).map(toScale);
  const candidates = lows.map((gap, index) => ({
    place: vectors.places[gap + 1] as number,
    similarity: heights[index] as number,
  }));
  const low = candidates.filter(({ similarity }) => similarity < limit);
  const minimum = { sentences: options.min_sentences_per_chunk, characters: minCharactersOf(options) };
  return keepApart(low, minimum, characters);
}

/** The similarities, smoothed if requested, and the gaps where they are lowest. */
function readSimilarities(similarities: Float64Array, options: SemanticOptions): Smoothed {
  const smoothing = smoothingOf(options);
  if (smoothing !== undefined) return smooth(similarities, smoothing);
  return { curve: similarities, lows: findValleys(similarities) };
}

/** The smoothing parameters; undefined if a request gives no option of the filter. */
function smoothingOf({
  filter_window,
  filter_polyorder,
  filter_tolerance,
}: SemanticOptions): Smoothing | undefined {
  if ((filter_window ?? filter_polyorder ?? filter_tolerance) === null) return undefined;
  const window = filter_window ?? Math.max(5, oddAbove(filter_polyorder ?? 0));
  const order = filter_polyorder ?? Math.min(3, window - 1);
  return { window, order, tolerance: filter_tolerance ?? 0.2 };
}

function oddAbove(order: number): number {
  return order + 1 + (order % 2);
}

/** The tokens and the characters of all sentences before each one, and of all. */
function sizesOf(text: string, boundaries: readonly number[], tokens: TokenizedText): Sizes {
  return {
    tokens: totalsOf(boundaries, (start, end) => tokens.count(start, end)),
    characters: charactersOf(text, boundaries),
  };
}

function charactersOf(text: string, boundaries: readonly number[]): Float64Array {
  return totalsOf(boundaries, (start, end) => countCodePoints(text, start, end));
}

function totalsOf(
  boundaries: readonly number[],
  count: (start: number, end: number) => number,
): Float64Array {
  const totals = new Float64Array(boundaries.length);
  for (let place = 1; place < boundaries.length; place++) {
    const size = count(boundaries[place - 1] as number, boundaries[place] as number);
    totals[place] = (totals[place - 1] as number) + size;
  }
  return totals;
}

/** The default of clusters: pairs of short sentences say little about their similarity. */
const MIN_CHARACTERS_OF_CLUSTERS = 40;

function minCharactersOf({ mode, min_characters_per_chunk }: SemanticOptions): number {
  return min_characters_per_chunk ?? (mode === 'cluster' ? MIN_CHARACTERS_OF_CLUSTERS : 1);
}

function clusterLimits(options: SemanticOptions, vectors: SentenceVectors) {
  return {
    size: options.chunk_size,
    minSentences: options.min_sentences_per_chunk,
    minCharacters: minCharactersOf(options),
    offset: offsetFor(options.threshold === 'auto' ? 0.5 : options.threshold, vectors),
  };
}

/** Makes each segment a chunk, or several of whole sentences if it is over the limit. */
function packSegments(
  text: string,
  boundaries: readonly number[],
  starts: readonly number[],
  sentences: Sentences,
  options: SemanticOptions,
  context: ChunkContext,
): Span[] {
  const { chunk_size: size, min_sentences_per_chunk: minPieces } = options;
  // Clusters have their default minimum already, and what is left over stays as it was.
  const minCharacters = options.min_characters_per_chunk ?? 1;
  const count = (start: number, end: number) => context.tokens.count(start, end);
  const segments: Span[][] = [];
  let from = 0;
  for (const to of [...starts, boundaries.length - 1]) {
    const [start, end] = [boundaries[from] as number, boundaries[to] as number];
    const token_count = count(start, end);
    const own = boundaries.slice(from, to + 1);
    segments.push(
      token_count <= size
        ? [{ start, end, token_count }]
        : evenOutLast(text, sentences.pack(text, own, { size, minPieces }, context), own, minCharacters),
    );
    from = to;
  }
  const counted = segments
    .flat()
    .map((span) => ({ ...span, token_count: span.token_count ?? count(span.start, span.end) }));
  return minCharacters > 1 ? joinShort(text, counted, { size, minCharacters }, count) : counted;
}

/**
 * The gaps where the similarity is lowest in its surroundings: below both neighbours, where the ends of the text
 * count as higher. The first of consecutive equal gaps counts. They do not depend on a threshold.
 * A single sentence says too little about a topic: the first and the last gap count only if there is no other.
 */
function findValleys(similarities: ArrayLike<number>): number[] {
  const valleys: number[] = [];
  let falls = true;
  let lowest = 0;
  for (let gap = 1; gap <= similarities.length; gap++) {
    const before = similarities[gap - 1] as number;
    const here = gap < similarities.length ? (similarities[gap] as number) : Number.POSITIVE_INFINITY;
    if (here < before) {
      falls = true;
      lowest = gap;
    } else if (here > before) {
      if (falls) valleys.push(lowest);
      falls = false;
    }
  }
  const last = similarities.length - 1;
  return last < 2 ? valleys : valleys.filter((gap) => gap > 0 && gap < last);
}

/** Mean less one standard deviation. */
function usualLow(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return mean - Math.sqrt(squares / values.length);
}
