import type { ChunkContext, Chunker, EmbeddingModel, Span } from '../../../core/contracts.ts';
import { type Sentences, sentencesBy } from '../../../core/sentences.ts';
import { findValleys, keepApart, usualLow } from './boundaries.ts';
import { findClusters, offsetFor } from './clusters.ts';
import type { SemanticOptions } from './manifest.ts';
import { embedSentences, type SentenceVectors } from './sentence-vectors.ts';
import { bridgedSimilarities, gapSimilarities } from './windows.ts';

export default function createSemanticChunker(): Chunker<SemanticOptions> {
  return {
    async chunk(text, options, context) {
      const sentences = sentencesBy(options);
      const edges = sentences.find(text, 0, text.length);
      edges.unshift(0);
      edges.push(text.length);
      const starts = await findStarts(text, edges, options, context);
      return packSegments(text, edges, starts, sentences, options, context);
    },
  };
}

/** The sentences, without the first one, that stand behind a boundary. */
async function findStarts(
  text: string,
  edges: readonly number[],
  options: SemanticOptions,
  { model, tokens, signal }: ChunkContext,
): Promise<number[]> {
  if (edges.length <= 2) return [];
  const vectors = await embedSentences(text, edges, model, signal);
  signal.throwIfAborted();
  if (options.mode === 'threshold') return findBoundaries(vectors, edges.length - 1, options, model);
  const totals = new Float64Array(edges.length);
  for (let place = 1; place < edges.length; place++) {
    const size = tokens.count(edges[place - 1] as number, edges[place] as number);
    totals[place] = (totals[place - 1] as number) + size;
  }
  const limits = {
    size: options.chunk_size,
    minSentences: options.min_sentences_per_chunk,
    offset: offsetFor(options.threshold === 'auto' ? 0.5 : options.threshold, vectors),
  };
  return findClusters(vectors, totals, limits, signal);
}

/** A text of fewer sentences has no usual similarity. */
const FEWEST_FOR_AUTO = 8;

function findBoundaries(
  vectors: SentenceVectors,
  sentences: number,
  options: SemanticOptions,
  model: EmbeddingModel,
): number[] {
  const { threshold, similarity_window, skip_window } = options;
  if (threshold === 'auto' && vectors.places.length < FEWEST_FOR_AUTO) return [];
  const toScale = (cosine: number) => model.calibrate?.(cosine) ?? cosine;
  const similarities = gapSimilarities(vectors, similarity_window).map(toScale);
  const limit = threshold === 'auto' ? usualLow(similarities) : threshold;
  const valleys = findValleys(similarities);
  const heights =
    skip_window === 0
      ? valleys.map((gap) => similarities[gap] as number)
      : bridgedSimilarities(vectors, similarity_window, valleys, skip_window).map(toScale);
  const candidates = valleys.map((gap, index) => ({
    place: vectors.places[gap + 1] as number,
    similarity: heights[index] as number,
  }));
  const low = candidates.filter(({ similarity }) => similarity < limit);
  return keepApart(low, options.min_sentences_per_chunk, sentences);
}

/**
 * Packs the sentences between boundaries; nothing is joined across one. A segment that seems far too long, by
 * the tokens of those before it, is packed without being counted as a whole first; the result is the same.
 */
function packSegments(
  text: string,
  edges: readonly number[],
  starts: readonly number[],
  sentences: Sentences,
  options: SemanticOptions,
  context: ChunkContext,
): Span[] {
  const size = options.chunk_size;
  const limits = { size, minPieces: options.min_sentences_per_chunk };
  const spans: Span[] = [];
  let [tokens, units] = [0, 0];
  let from = 0;
  for (const to of [...starts, edges.length - 1]) {
    const [start, end] = [edges[from] as number, edges[to] as number];
    const seemsLong = (end - start) * tokens > FAR_TOO_LONG * size * units;
    const token_count = seemsLong ? undefined : context.tokens.count(start, end);
    if (token_count !== undefined) [tokens, units] = [tokens + token_count, units + end - start];
    if (token_count !== undefined && token_count <= size) spans.push({ start, end, token_count });
    else spans.push(...sentences.pack(text, edges.slice(from, to + 1), limits, context));
    from = to;
  }
  return spans;
}

const FAR_TOO_LONG = 1.3;
