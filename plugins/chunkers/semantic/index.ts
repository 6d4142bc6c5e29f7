import {
  type ChunkContext,
  type Chunker,
  countCodePoints,
  type EmbeddingModel,
  type Factory,
  type Span,
} from '../../../core/kit.ts';
import { type Sentences as SentenceFinder, sentencesBy } from '../../toolkit/prose/index.ts';
import { findClusters, offsetFor, type Sentences } from './clusters.ts';
import type manifest from './manifest.ts';
import type { SemanticOptions } from './manifest.ts';
import { evenOutLast, joinShort, keepApart, type Minimum } from './minimum.ts';
import {
  bridgedSimilarities,
  type EmbeddedSentences,
  embedSentences,
  gapSimilarities,
  rounded,
} from './similarities.ts';
import { type Smoothing, smooth } from './smoothing.ts';
import { unitBoundaries, withClauses } from './units.ts';
import { readWords, USUAL_OVERLAP, wordOverlaps } from './words.ts';

const createSemanticChunker: Factory<typeof manifest> = (): Chunker<SemanticOptions, 'embedding'> => ({
  async chunk(text, options, context) {
    const sentences = sentencesBy(options);
    const boundaries = withClauses(text, sentences.boundaries(text));
    const units = unitBoundaries(text, boundaries);
    const starts = await findStarts(text, units, options, context);
    const pieces = piecesToPack(boundaries, units, options.chunk_size, context);
    return packSegments(text, pieces, starts, sentences, options, context);
  },
});

export default createSemanticChunker;

/** @returns the offsets where topics begin, except the first topic */
async function findStarts(
  text: string,
  units: readonly number[],
  options: SemanticOptions,
  { model, tokens, signal }: ChunkContext<'embedding'>,
): Promise<number[]> {
  if (units.length <= 2) return [];
  const { vectors, lexical } = await embedSentences(text, units, model, signal);
  signal.throwIfAborted();
  const sentences = { vectors, words: readWords(text, units, vectors.indexes) };
  const counted = totalsOf(units, (start, end) => tokens.count(start, end));
  const minimum = minimumOf(text, units, counted, options);
  if (options.mode === 'threshold') {
    return findLows({ ...sentences, lexical }, minimum, options, model).map((unit) => units[unit] as number);
  }
  const limits = {
    size: options.chunk_size,
    minSentences: minimum.sentences,
    minSize: minimum.size,
    offset: offsetFor(options.threshold === 'auto' ? 0.5 : options.threshold, sentences),
  };
  const sizes = { tokens: counted, measured: minimum.totals };
  return findClusters(sentences, sizes, limits, signal).map((unit) => units[unit] as number);
}

function minimumOf(
  text: string,
  units: readonly number[],
  tokens: Float64Array,
  options: SemanticOptions,
): Minimum {
  const { min_characters_per_chunk: characters, min_sentences_per_chunk: sentences } = options;
  if (characters === null) {
    const size = Math.min(minTokensOf(options), (tokens.at(-1) as number) * MAX_SHARE_OF_TEXT);
    return { sentences, size, totals: tokens };
  }
  return {
    sentences,
    size: characters,
    totals: totalsOf(units, (start, end) => countCodePoints(text, start, end)),
  };
}

/** Share of the text that a topic never has to exceed, so that a short text may have several. */
const MAX_SHARE_OF_TEXT = 0.25;

/** A chunk that may be larger has no larger minimum: topics are as long as they are. */
const MAX_FOR_FRACTION = 256;

function minTokensOf({ min_chunk_size, chunk_size }: SemanticOptions): number {
  return min_chunk_size < 1 ? min_chunk_size * Math.min(chunk_size, MAX_FOR_FRACTION) : min_chunk_size;
}

/** Minimum sentences from which the usual similarity of a text can be determined. */
const MIN_FOR_AUTO = 8;

/**
 * How much the similarity changes with the overlap of words, beside vectors of sentences that the model knows, and beside
 * those that it compares by its lexical method. In a text of few sentences, rare words are not known.
 */
const WORD_WEIGHTS = { known: 0.15, lexical: 0.22 } as const;
const FEW_SENTENCES = 15;

/** Finds gaps whose similarity is a local minimum below the threshold. @returns the sentences after these gaps */
function findLows(
  { vectors, words, lexical }: Sentences & EmbeddedSentences,
  minimum: Minimum,
  options: SemanticOptions,
  model: EmbeddingModel,
): number[] {
  const { threshold, similarity_window, skip_window } = options;
  if (threshold === 'auto' && vectors.indexes.length < MIN_FOR_AUTO) return [];
  const toScale = (cosine: number) => model.calibrate?.(cosine) ?? usualScale(cosine);
  // Single sentences share few words, so that their overlap needs a wider window.
  const overlaps = wordOverlaps(words, similarity_window + 1);
  const full = WORD_WEIGHTS.known * (1 - lexical) + WORD_WEIGHTS.lexical * lexical;
  const weight = (full * overlaps.length) / (overlaps.length + FEW_SENTENCES);
  const similarities = gapSimilarities(vectors, similarity_window).map((cosine, gap) => {
    const similarity = toScale(cosine) + weight * ((overlaps[gap] as number) - USUAL_OVERLAP);
    return rounded(similarity);
  });
  const smoothing = smoothingOf(options);
  const { curve, lows } =
    smoothing === undefined
      ? { curve: similarities, lows: findValleys(similarities) }
      : smooth(similarities, smoothing);
  const limit = threshold === 'auto' ? usualLow(curve) : threshold;
  const bridges = skip_window === 0 ? [] : bridgedSimilarities(vectors, similarity_window, lows, skip_window);
  const candidates = lows.map((gap, index) => ({
    sentence: vectors.indexes[gap + 1] as number,
    similarity: Math.max(curve[gap] as number, toScale(bridges[index] ?? Number.NEGATIVE_INFINITY), 0),
  }));
  return keepApart(
    candidates.filter(({ similarity }) => similarity < limit),
    minimum,
  );
}

/** The scale of the built-in model, on which 0.5 means another topic. */
function usualScale(cosine: number): number {
  return (cosine + 0.66) / 1.66;
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

/** The units, and the sentences of units that alone exceed `size`. */
function piecesToPack(
  sentences: readonly number[],
  units: readonly number[],
  size: number,
  { tokens }: ChunkContext,
): readonly number[] {
  if (sentences.length === units.length) return units;
  const pieces: number[] = [0];
  let at = 1;
  for (let unit = 1; unit < units.length; unit++) {
    const [start, end] = [units[unit - 1] as number, units[unit] as number];
    const isLong = (sentences[at] as number) < end && tokens.count(start, end) > size;
    for (; (sentences[at] as number) < end; at++) if (isLong) pieces.push(sentences[at] as number);
    if (sentences[at] === end) at++;
    pieces.push(end);
  }
  return pieces;
}

function packSegments(
  text: string,
  boundaries: readonly number[],
  starts: readonly number[],
  sentences: SentenceFinder,
  options: SemanticOptions,
  context: ChunkContext,
): Span[] {
  const { chunk_size: size, min_sentences_per_chunk: minPieces, min_characters_per_chunk } = options;
  const count = (start: number, end: number) => context.tokens.count(start, end);
  const countCharacters = (start: number, end: number) => countCodePoints(text, start, end);
  const [minimum, measure] =
    min_characters_per_chunk === null
      ? [minTokensOf(options), count]
      : [min_characters_per_chunk, countCharacters];
  const segments: Span[][] = [];
  let from = 0;
  for (const end of [...starts, text.length]) {
    const to = boundaries.indexOf(end, from);
    const start = boundaries[from] as number;
    const token_count = count(start, end);
    const inner = boundaries.slice(from, to + 1);
    segments.push(
      token_count <= size
        ? [{ start, end, token_count }]
        : evenOutLast(sentences.pack(text, inner, { size, minPieces }, context), inner, minimum, measure),
    );
    from = to;
  }
  const counted = segments
    .flat()
    .map((span) => ({ ...span, token_count: span.token_count ?? count(span.start, span.end) }));
  // Chunks of different topics are joined only if the request has a minimum.
  if (min_characters_per_chunk === null || minimum <= 1) return counted;
  return joinShort(text, counted, { size, minCharacters: minimum }, count);
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
