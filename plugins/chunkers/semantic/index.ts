import type { Span } from '../../../core/contracts/chunk.ts';
import type { ChunkContext, Chunker } from '../../../core/contracts/chunker.ts';
import type { EmbeddingModel } from '../../../core/contracts/embedding.ts';
import type { Factory } from '../../../core/contracts/plugin.ts';
import type { TokenizedText } from '../../../core/contracts/tokenizer.ts';
import type { Sentences } from '../../../core/engine/sentences.ts';
import { findValleys, keepApart, usualLow } from './boundaries.ts';
import { findClusters, offsetFor } from './clusters.ts';
import type manifest from './manifest.ts';
import type { SemanticOptions } from './manifest.ts';
import { embedSentences, type SentenceVectors } from './sentence-vectors.ts';
import { bridgedSimilarities, gapSimilarities } from './similarities.ts';

const createSemanticChunker: Factory<typeof manifest> = ({ kit }): Chunker<SemanticOptions, 'embedding'> => ({
  async chunk(text, options, context) {
    const sentences = kit.sentencesBy(options);
    const boundaries = sentences.boundaries(text);
    const starts = await findStarts(text, boundaries, options, context);
    return packSegments(text, boundaries, starts, sentences, options, context);
  },
});

export default createSemanticChunker;

/** The sentences, without the first one, that begin a segment: where the topic changes. */
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
    ? findLows(vectors, boundaries.length - 1, options, model)
    : findClusters(vectors, totalsOf(boundaries, tokens), clusterLimits(options, vectors), signal);
}

/** A text of fewer sentences has no usual similarity. */
const FEWEST_FOR_AUTO = 8;

/** The sentences behind the gaps whose similarity is lowest, and below the threshold. */
function findLows(
  vectors: SentenceVectors,
  sentences: number,
  { threshold, similarity_window, skip_window, min_sentences_per_chunk }: SemanticOptions,
  model: EmbeddingModel,
): number[] {
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
  return keepApart(low, min_sentences_per_chunk, sentences);
}

/** The tokens of all sentences before each one, and of all. */
function totalsOf(boundaries: readonly number[], tokens: TokenizedText): Float64Array {
  const totals = new Float64Array(boundaries.length);
  for (let place = 1; place < boundaries.length; place++) {
    const size = tokens.count(boundaries[place - 1] as number, boundaries[place] as number);
    totals[place] = (totals[place - 1] as number) + size;
  }
  return totals;
}

function clusterLimits(options: SemanticOptions, vectors: SentenceVectors) {
  return {
    size: options.chunk_size,
    minSentences: options.min_sentences_per_chunk,
    offset: offsetFor(options.threshold === 'auto' ? 0.5 : options.threshold, vectors),
  };
}

/** Makes each segment a chunk, or several of whole sentences if it is over the limit. */
function packSegments(
  text: string,
  boundaries: readonly number[],
  starts: readonly number[],
  sentences: Sentences,
  { chunk_size: size, min_sentences_per_chunk: minPieces }: SemanticOptions,
  context: ChunkContext,
): Span[] {
  const segments: Span[][] = [];
  let from = 0;
  for (const to of [...starts, boundaries.length - 1]) {
    const [start, end] = [boundaries[from] as number, boundaries[to] as number];
    const token_count = context.tokens.count(start, end);
    segments.push(
      token_count <= size
        ? [{ start, end, token_count }]
        : sentences.pack(text, boundaries.slice(from, to + 1), { size, minPieces }, context),
    );
    from = to;
  }
  return segments.flat();
}
