import type { Chunk, Report } from './chunk.ts';
import type { WithModel } from './chunker.ts';
import type { Tokenizer } from './tokenizer.ts';

/** What a refinery is given besides the chunks and the options; `Uses` are the kinds that its manifest uses. */
export type RefineContext<Uses = never> = BaseRefineContext &
  ('tokenizer' extends Uses ? WithTokenizer : unknown) &
  ('embedding' extends Uses ? WithModel : unknown);

/** What the context also has if the manifest uses the kind `tokenizer`. */
export interface WithTokenizer {
  /** The tokenizer that the request names. */
  readonly tokenizer: Tokenizer;
}

interface BaseRefineContext {
  /**
   * The chunk with text put before and after its own, and with further fields. Knowing which stretch of the new text is the source, the
   * answer copies it instead of encoding it again; a text that is made in another way is answered correctly too.
   */
  surround(chunk: Chunk, before: string, after: string, fields?: Partial<Chunk>): Chunk;
  /** Adds response metadata about how these chunks were refined: the header `x-<name>`. */
  readonly report: Report;
  /** Aborts once the answer is not wanted any more: the client has gone, or the time is up. */
  readonly signal: AbortSignal;
}

/**
 * Enriches the chunks of one document. A vector is a `Float32Array` on its chunk; it is written as a list
 * of numbers.
 */
export interface Refinery<Options = Record<string, unknown>, Uses = never> {
  /** Returns new chunks, as many and in the same order; every field it does not know is kept. */
  refine(
    chunks: readonly Chunk[],
    options: Options,
    context: RefineContext<Uses>,
  ): Chunk[] | Promise<Chunk[]>;
}

/** A refinery whose options and uses only its manifest knows. */
export type AnyRefinery = {
  refine(chunks: readonly Chunk[], options: never, context: never): Chunk[] | Promise<Chunk[]>;
};
