import {
  type ChunkContext,
  type Chunker,
  countCodePoints,
  type EmbeddingModel,
  type Factory,
  type Span,
} from '../../../core/kit.ts';
import { type Sentences, sentencesBy } from '../../toolkit/prose/index.ts';
import { findClusters, offsetFor } from './clusters.ts';
import type manifest from './manifest.ts';
import type { SemanticOptions } from './manifest.ts';
import { evenOutLast, joinShort, keepApart } from './minimum.ts';
import {
  bridgedSimilarities,
  embedSentences,
  gapSimilarities,
  type SentenceVectors,
} from './similarities.ts';
import { type Smoothing, smooth } from './smoothing.ts';

const createSemanticChunker: Factory<typeof manifest> = (): Chunker<SemanticOptions, 'embedding'> => ({
  async chunk(text, options, context) {
    const sentences = sentencesBy(options);
    const boundaries = sentences.boundaries(text);
    const starts = await findStarts(text, boundaries, options, context);
    return packSegments(text, boundaries, starts, sentences, options, context);
  },
});

export default createSemanticChunker;

async function findStarts(
  text: string,
  boundaries: readonly number[],
  options: SemanticOptions,
  { model, tokens, signal }: ChunkContext<'embedding'>,
): Promise<number[]> {
  if (boundaries.length <= 2) return [];
  const vectors = await embedSentences(text, boundaries, model, signal);
  signal.throwIfAborted();
  const characters = totalsOf(boundaries, (start, end) => countCodePoints(text, start, end));
  if (options.mode === 'threshold') return findLows(vectors, characters, options, model);
  const limits = {
    size: options.chunk_size,
    minSentences: options.min_sentences_per_chunk,
    minCharacters: minCharactersOf(options),
    offset: offsetFor(options.threshold === 'auto' ? 0.5 : options.threshold, vectors),
  };
  const sizes = { tokens: totalsOf(boundaries, (start, end) => tokens.count(start, end)), characters };
  return findClusters(vectors, sizes, limits, signal);
}

/** Minimum sentences from which the usual similarity of a text can be determined. */
const MIN_FOR_AUTO = 8;

/** Finds gaps whose similarity is a local minimum below the threshold. @returns the sentences after these gaps */
function findLows(
  vectors: SentenceVectors,
  characters: Float64Array,
  options: SemanticOptions,
  model: EmbeddingModel,
): number[] {
  const { threshold, similarity_window, skip_window } = options;
  if (threshold === 'auto' && vectors.indexes.length < MIN_FOR_AUTO) return [];
  const toScale = (cosine: number) => model.calibrate?.(cosine) ?? cosine;
  const similarities = gapSimilarities(vectors, similarity_window).map(toScale);
  const smoothing = smoothingOf(options);
  const { curve, lows } =
    smoothing === undefined
      ? { curve: similarities, lows: findValleys(similarities) }
      : smooth(similarities, smoothing);
  const limit = threshold === 'auto' ? usualLow(curve) : threshold;
  const heights =
    skip_window === 0
      ? lows.map((gap) => curve[gap] as number)
      : bridgedSimilarities(vectors, similarity_window, lows, skip_window).map(toScale);
  const candidates = lows.map((gap, index) => ({
    sentence: vectors.indexes[gap + 1] as number,
    similarity: heights[index] as number,
  }));
  const low = candidates.filter(({ similarity }) => similarity < limit);
  const minimum = { sentences: options.min_sentences_per_chunk, characters: minCharactersOf(options) };
  return keepApart(low, minimum, characters);
}

function smoothingOf({
  filter_window,
  filter_polyorder,
  filter_tolerance,
}: SemanticOptions): Smoothing | undefined {
  if ((filter_window ?? filter_polyorder ?? filter_tolerance) === null) return undefined;
  const given = filter_polyorder ?? 0;
  // By default, the window is the next odd number above the order, and at least 5.
  const window = filter_window ?? Math.max(5, given + 1 + (given % 2));
  const order = filter_polyorder ?? Math.min(3, window - 1);
  return { window, order, tolerance: filter_tolerance ?? 0.2 };
}

function totalsOf(
  boundaries: readonly number[],
  count: (start: number, end: number) => number,
): Float64Array {
  const totals = new Float64Array(boundaries.length);
  for (let index = 1; index < boundaries.length; index++) {
    const size = count(boundaries[index - 1] as number, boundaries[index] as number);
    totals[index] = (totals[index - 1] as number) + size;
  }
  return totals;
}

/** The default minimum of clusters. The similarity of shorter sentences is unreliable. */
const MIN_CHARACTERS_OF_CLUSTERS = 40;

function minCharactersOf({ mode, min_characters_per_chunk }: SemanticOptions): number {
  return min_characters_per_chunk ?? (mode === 'cluster' ? MIN_CHARACTERS_OF_CLUSTERS : 1);
}

function packSegments(
  text: string,
  boundaries: readonly number[],
  starts: readonly number[],
  sentences: Sentences,
  options: SemanticOptions,
  context: ChunkContext,
): Span[] {
  const { chunk_size: size, min_sentences_per_chunk: minPieces } = options;
  // Joins short chunks only if the request has a minimum. `findClusters` already applied the default minimum.
  const minCharacters = options.min_characters_per_chunk ?? 1;
  const count = (start: number, end: number) => context.tokens.count(start, end);
  const segments: Span[][] = [];
  let from = 0;
  for (const to of [...starts, boundaries.length - 1]) {
    const start = boundaries[from] as number;
    const end = boundaries[to] as number;
    const token_count = count(start, end);
    const inner = boundaries.slice(from, to + 1);
    segments.push(
      token_count <= size
        ? [{ start, end, token_count }]
        : evenOutLast(text, sentences.pack(text, inner, { size, minPieces }, context), inner, minCharacters),
    );
    from = to;
  }
  const counted = segments
    .flat()
    .map((span) => ({ ...span, token_count: span.token_count ?? count(span.start, span.end) }));
  return minCharacters > 1 ? joinShort(text, counted, { size, minCharacters }, count) : counted;
}

/**
 * Finds the gaps with a lower similarity than both neighbouring gaps. Beyond the ends of the text, the similarity
 * counts as higher. The first of consecutive equal gaps counts. With three or more gaps, the first and the last are
 * ignored, because a single sentence does not show a topic.
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

function usualLow(values: Float64Array): number {
  // Mean minus one standard deviation.
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return mean - Math.sqrt(squares / values.length);
}
