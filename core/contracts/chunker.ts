import type { DocumentInfo, Report, Span } from './chunk.ts';
import type { EmbeddingModel } from './embedding.ts';
import type { TokenizedText } from './tokenizer.ts';

/** Contracts of chunkers. Offsets are UTF-16 code units; the core converts them to the answer's unit. */

/** Limits for packing pieces into chunks, in tokens. */
export interface PackLimits {
  /** Maximum tokens per chunk. */
  readonly size: number;
  /** Maximum tokens repeated from the end of the previous chunk. Only whole pieces are repeated. Default 0. */
  readonly overlap?: number;
  /** Minimum pieces per chunk, if `size` allows it. Default 1. */
  readonly minPieces?: number;
  /**
   * Estimates the size of each piece, which is faster than counting it. Chunks stay within `size` and have exact
   * counts, but may hold fewer pieces than would fit. Default false.
   */
  readonly approximate?: boolean;
}

/** Finds rising offsets strictly between `start` and `end` where the text may be cut. Returns a new array. */
export type CutFinder = (text: string, start: number, end: number) => number[];

/** Limits for dividing a text along a hierarchy of cuts. */
export interface DivideLimits {
  /** Maximum tokens per chunk. */
  readonly size: number;
  /** Minimum code points of a chunk. A shorter chunk is joined to a neighbour if `size` allows it. Default 1. */
  readonly minCharacters?: number;
  /**
   * Maximum tokens repeated from the end of the previous chunk; they count towards `size`. A chunk repeats whole
   * pieces of the first finder that has small enough pieces, otherwise tokens. Default 0.
   */
  readonly overlap?: number;
  /** Whether an introduction, such as a heading, stays with the text after it. Default true. */
  readonly introductions?: boolean;
  /** Whether a short line between blank lines is an introduction too, as in prose. Default false. */
  readonly titles?: boolean;
}

/** The context of a call to a chunker. `Uses` lists the kinds of plugins in the manifest's `uses`. */
export type ChunkContext<Uses = never> = BaseChunkContext & ('embedding' extends Uses ? WithModel : unknown);

export interface WithModel {
  readonly model: EmbeddingModel;
}

interface BaseChunkContext {
  /** The tokens of the text, by the requested tokenizer or by the tokenizer of the requested embedding model. */
  readonly tokens: TokenizedText;
  readonly document: DocumentInfo;
  /** Adds response metadata about the chunking of this text: the header `x-<name>`. */
  readonly report: Report;
  /** Aborts if the client disconnects or the time limit is reached. */
  readonly signal: AbortSignal;
  /**
   * Packs pieces into chunks. The boundaries are rising: the start of the first piece, then the end of each piece. A
   * piece over the limit becomes a chunk by itself.
   */
  pack(boundaries: ArrayLike<number>, limits: PackLimits): Span[];
  /** Windows of `size` tokens. Each window repeats the last `overlap` tokens (default 0) of the previous one. */
  windows(size: number, overlap?: number): Span[];
  /**
   * Divides a stretch of the text along a hierarchy of finders. The first finder cuts the stretch; each further
   * finder cuts only pieces that are still over the limit. A piece that no finder can cut is cut between tokens, or
   * finally between code points. A grapheme cluster that fits is never cut. A heading or another introduction stays
   * with the text after it if the limit allows it.
   */
  divide(range: Span, finders: readonly CutFinder[], limits: DivideLimits): Span[];
  /**
   * Packs a text along its structure. A stretch that fits stays whole. A larger stretch is cut at its best boundaries
   * first. A single piece that is too large is divided by `structure.divide`.
   *
   * The `context` of a span is its carried text, at most half of `chunk_size` tokens. Longer carried text is
   * shortened or left out, and the field `context_shortened` reports that. With `count_context`, the limit applies to
   * the context, a line feed and the text together.
   */
  packStructure(structure: Structure, rules: StructureRules): Span[];
}

/** A plugin that can check its options before it is called. */
export interface ChecksOptions {
  /**
   * Finds problems with options that the schema cannot express, such as a name that does not exist. A problem is a
   * sentence that begins with the option and has no full stop. Any option may be missing. The server refuses a call
   * whose options have problems.
   *
   * If a problem ends with a list of names, the server adds the name closest to the unknown one: `recipe: there is no
   * recipe "pros"; available: default, prose`.
   */
  check?(options: Readonly<Record<string, unknown>>): readonly string[];
}

/**
 * Decides where a text is cut.
 *
 * ```ts
 * import { type Chunker, cutAtDelimiters, type Factory } from 'chunksmith/kit';
 * import type manifest from './manifest.ts';
 *
 * const createParagraphs: Factory<typeof manifest> = (): Chunker<{ chunk_size: number }> => ({
 *   chunk: (text, { chunk_size: size }, { divide }) =>
 *     divide({ start: 0, end: text.length }, [cutAtDelimiters(['\n\n'])], { size }),
 * });
 *
 * export default createParagraphs;
 * ```
 */
export interface Chunker<Options = Record<string, unknown>, Uses = never> extends ChecksOptions {
  /**
   * Returns spans of `text` with rising starts and rising ends. The given text is never only white space. A span must
   * not begin or end inside a surrogate pair.
   */
  chunk(
    text: string,
    options: Options,
    context: ChunkContext<Uses>,
  ): readonly Span[] | Promise<readonly Span[]>;
}

export type AnyChunker = ChecksOptions & {
  chunk(text: string, options: never, context: never): readonly Span[] | Promise<readonly Span[]>;
};

/** The possible cuts of a text, and how good each cut is. Chunkers of all structured formats pack by outlines. */
export interface Outline {
  /** Boundaries of the smallest pieces: rising offsets from 0 to the length of the text. */
  readonly edges: ArrayLike<number>;
  /** The rank of each boundary in `edges`; a lower rank is a better cut. Packing takes one pass per distinct rank. */
  readonly ranks: ArrayLike<number>;
}

/** The structure of a text, found by a chunker. */
export interface Structure {
  readonly outline: Outline;
  /** The carried text of a chunk that begins at `start`, which can be any offset. Default: no chunk carries text. */
  carriedAt?(start: number): Carried | undefined;
  /** Cuts a piece that is larger than `size` tokens into chunks of at most `size` tokens. */
  divide(start: number, end: number, size: number): readonly Span[];
}

/** The text that a chunk carries. Return the same object for all chunks with the same headings and opening. */
export interface Carried {
  /** The headings above the chunk, the highest first. */
  readonly path?: readonly string[] | undefined;
  /** The beginning of an element that continues in the chunk: the header of a table for a chunk of later rows. */
  readonly opening?: string | undefined;
}

/** Options for packing a structured text (see `options.ts`). Sizes are in tokens. */
export interface StructureRules {
  readonly chunk_size: number;
  /** Minimum tokens of a chunk, at most half of `chunk_size`. A value below 1 is a fraction of `chunk_size`. */
  readonly min_chunk_size: number;
  readonly count_context?: boolean;
  /** A chunk always begins at boundaries of this rank or lower. Default: no such boundaries. */
  readonly always?: number;
}
