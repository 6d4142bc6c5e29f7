import type { Chunk, DocumentInfo, Report } from './chunk.ts';
import type { ChecksOptions, WithModel } from './chunker.ts';
import type { Tokenizer } from './tokenizer.ts';

/** What a refinery is given besides the chunks and the options. `Uses` are the kinds that its manifest uses. */
export type RefineContext<Uses = never> = BaseRefineContext &
  ('tokenizer' extends Uses ? WithTokenizer : unknown) &
  ('embedding' extends Uses ? WithModel : unknown);

/** What the context also has if the manifest uses the kind `tokenizer`. */
export interface WithTokenizer {
  readonly tokenizer: Tokenizer;
}

/** Derives chunks from those that a refinery is given, with the right offsets. */
export interface RefineTools {
  /**
   * The chunk with text put before and after its own, and with further fields. The answer copies the unchanged part
   * from the source instead of encoding it again; a text made in any other way is also written correctly, but more
   * slowly.
   */
  surround(chunk: Chunk, before: string, after: string, fields?: Partial<Chunk>): Chunk;
  /**
   * A part of a chunk, from `start` to `end` in UTF-16 units of its own text, with the offsets of that part. If the
   * text of the chunk differs from its stretch of the source, because another refinery has added to it, the part
   * keeps the offsets of the whole.
   *
   * @param fields the part's `token_count`, and further fields; the others are those of the chunk
   */
  part(chunk: Chunk, start: number, end: number, fields: TokenCount & Partial<Chunk>): Chunk;
  /**
   * Neighbours as one chunk, from the start of the first to the end of the last. Text that they share appears once;
   * text between them is left out.
   *
   * @param chunks at least one
   * @param fields fields that differ from those of the first; without a `token_count` their counts are added up
   */
  join(chunks: readonly Chunk[], fields?: Partial<Chunk>): Chunk;
}

interface TokenCount {
  readonly token_count: number;
}

interface BaseRefineContext extends RefineTools {
  /** What the request says about the document that the chunks come from; empty for chunks that came in a request. */
  readonly document: DocumentInfo;
  /** Adds response metadata about how these chunks were refined: the header `x-<name>`. */
  readonly report: Report;
  /** Aborts once the answer is no longer wanted: the client has gone, or time is up. */
  readonly signal: AbortSignal;
}

/**
 * Enriches the chunks of one document. A vector is a `Float32Array` on its chunk; it is written as a list of numbers.
 *
 * ```ts
 * import type { Factory, Refinery } from 'chunksmith/kit';
 * import type manifest from './manifest.ts';
 *
 * const createMarks: Factory<typeof manifest> = (): Refinery<{ mark: string }> => ({
 *   refine: (chunks, { mark }, { surround }) => chunks.map((chunk) => surround(chunk, mark, mark)),
 * });
 *
 * export default createMarks;
 * ```
 */
export interface Refinery<Options = Record<string, unknown>, Uses = never> extends ChecksOptions {
  /**
   * Returns new chunks, the same number in the same order; every field that it does not know is kept. If its manifest
   * has `changesCount`, it may drop, merge (`context.join`) and split (`context.part`) chunks; they stay in the order
   * of the text.
   */
  refine(
    chunks: readonly Chunk[],
    options: Options,
    context: RefineContext<Uses>,
  ): Chunk[] | Promise<Chunk[]>;
}

/** A refinery whose options and uses are known only to its manifest. */
export type AnyRefinery = {
  refine(chunks: readonly Chunk[], options: never, context: never): Chunk[] | Promise<Chunk[]>;
};
