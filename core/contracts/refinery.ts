import type { Chunk, DocumentInfo, Report } from './chunk.ts';
import type { ChecksOptions, WithModel } from './chunker.ts';
import type { Tokenizer } from './tokenizer.ts';

/** The context of a call to a refinery. `Uses` lists the kinds that the manifest uses. */
export type RefineContext<Uses = never> = BaseRefineContext &
  ('tokenizer' extends Uses ? WithTokenizer : unknown) &
  ('embedding' extends Uses ? WithModel : unknown);

/** Added to the context if the manifest uses the kind `tokenizer`. */
export interface WithTokenizer {
  readonly tokenizer: Tokenizer;
}

/** Derives chunks from the given ones and adjusts their offsets. */
export interface RefineTools {
  /**
   * Adds text before and after the chunk's own text, and further fields. The answer copies the unchanged text from
   * the source; text that is changed in another way is written more slowly.
   */
  surround(chunk: Chunk, before: string, after: string, fields?: Partial<Chunk>): Chunk;
  /**
   * A part of a chunk, from `start` to `end` in UTF-16 code units of the chunk's text, with adjusted offsets. If
   * another refinery has changed the text, the part keeps the offsets of the whole chunk.
   *
   * @param fields the part's `token_count`, and further fields; other fields come from the chunk
   */
  part(chunk: Chunk, start: number, end: number, fields: TokenCount & Partial<Chunk>): Chunk;
  /**
   * Joins neighbouring chunks, from the start of the first to the end of the last. Shared text appears once; text
   * between them is omitted.
   *
   * @param chunks at least one
   * @param fields replacements for fields of the first chunk; the default `token_count` is the sum
   */
  join(chunks: readonly Chunk[], fields?: Partial<Chunk>): Chunk;
}

interface TokenCount {
  readonly token_count: number;
}

interface BaseRefineContext extends RefineTools {
  /** The request's information about the document; empty if the request contains chunks. */
  readonly document: DocumentInfo;
  /** Adds response metadata about the refining of these chunks: the header `x-<name>`. */
  readonly report: Report;
  /** Aborts if the client disconnects or the time limit is reached. */
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
   * Returns as many new chunks, in the same order, with all unknown fields. If the manifest has `changesCount`, it
   * may drop, merge (`context.join`) and split (`context.part`) chunks in the order of the text.
   */
  refine(
    chunks: readonly Chunk[],
    options: Options,
    context: RefineContext<Uses>,
  ): Chunk[] | Promise<Chunk[]>;
}

/** A refinery of unknown option and context types. */
export type AnyRefinery = {
  refine(chunks: readonly Chunk[], options: never, context: never): Chunk[] | Promise<Chunk[]>;
};
