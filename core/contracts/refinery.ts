import type { Chunk, DocumentInfo, Report } from './chunk.ts';
import type { ChecksOptions, WithModel } from './chunker.ts';
import type { Tokenizer } from './tokenizer.ts';

/** The context of a call to a refinery. `Uses` lists the kinds of plugins in the manifest's `uses`. */
export type RefineContext<Uses = never> = BaseRefineContext &
  ('tokenizer' extends Uses ? WithTokenizer : unknown) &
  ('embedding' extends Uses ? WithModel : unknown);

export interface WithTokenizer {
  readonly tokenizer: Tokenizer;
}

/** Functions that derive new chunks from given chunks and adjust their offsets. */
export interface RefineTools {
  /**
   * Adds text before and after the chunk's own text, and adds fields. Such a chunk is fast to write, because the
   * answer copies the chunk's own text from the source.
   */
  surround(chunk: Chunk, before: string, after: string, fields?: Partial<Chunk>): Chunk;
  /**
   * Returns a part of a chunk, with adjusted offsets. `start` and `end` are in UTF-16 code units of the chunk's text.
   * If another refinery has changed that text, the part keeps the offsets of the whole chunk.
   *
   * @param fields the part's `token_count`, and fields to replace; the part has all other fields of the chunk
   */
  part(chunk: Chunk, start: number, end: number, fields: TokenCount & Partial<Chunk>): Chunk;
  /**
   * Joins neighbouring chunks, from the start of the first to the end of the last. Text that two chunks share appears
   * once. Text between chunks is omitted.
   *
   * @param chunks at least one
   * @param fields replace fields of the first chunk; the default `token_count` is the sum
   */
  join(chunks: readonly Chunk[], fields?: Partial<Chunk>): Chunk;
}

interface TokenCount {
  readonly token_count: number;
}

interface BaseRefineContext extends RefineTools {
  /** What the request says about the document; empty if the request contains chunks. */
  readonly document: DocumentInfo;
  /** Adds response metadata about the refining of these chunks: the header `x-<name>`. */
  readonly report: Report;
  /** Aborts if the client disconnects or the time limit is reached. */
  readonly signal: AbortSignal;
}

/**
 * Enriches the chunks of one document. A chunk's vector is a `Float32Array`; answers write it as a list of numbers.
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
   * Returns as many new chunks as given, in the same order, with all unknown fields. If the manifest has
   * `changesCount`, the refinery may also drop, merge (`context.join`) and split (`context.part`) chunks.
   */
  refine(
    chunks: readonly Chunk[],
    options: Options,
    context: RefineContext<Uses>,
  ): Chunk[] | Promise<Chunk[]>;
}

export type AnyRefinery = {
  refine(chunks: readonly Chunk[], options: never, context: never): Chunk[] | Promise<Chunk[]>;
};
