import type { DocumentInfo, Report, Span } from './chunk.ts';
import type { EmbeddingModel } from './embedding.ts';
import type { TokenizedText } from './tokenizer.ts';

/**
 * Contracts of chunkers. Offsets are UTF-16 code units of the source text, as JavaScript counts them. They
 * become code points (or bytes) once, when an answer is written.
 */

/** Limits for packing pieces into chunks, in tokens. */
export interface PackLimits {
  /** Maximum tokens per chunk. */
  readonly size: number;
  /** Maximum tokens that a chunk repeats from the previous one; whole pieces only. Default 0. */
  readonly overlap?: number;
  /** Minimum pieces per chunk, if `size` allows it. Default 1. */
  readonly minPieces?: number;
  /**
   * Estimates the sizes of single pieces, so that less text is counted. The counts of chunks and the
   * limit stay exact; a chunk may hold fewer pieces than it could.
   */
  readonly approximate?: boolean;
}

/** Finds where a text can be cut between `start` and `end`: a new array of rising offsets, excluding both ends. */
export type CutFinder = (text: string, start: number, end: number) => number[];

/** Limits for dividing a text along a hierarchy of cuts. */
export interface DivideLimits {
  /** Maximum tokens per chunk. */
  readonly size: number;
  /** A chunk of fewer code points joins a neighbour if `size` allows it. Default 1. */
  readonly minCharacters?: number;
  /**
   * Maximum tokens that a chunk repeats from the end of the previous one; they count towards `size`. Whole pieces of
   * the coarsest finder whose pieces are small enough, else tokens. Default 0.
   */
  readonly overlap?: number;
  /** Whether what only introduces the text after it stays with that text. Default true. */
  readonly introductions?: boolean;
  /** Whether a short line alone between blank lines introduces what follows too, as in prose. Default false. */
  readonly titles?: boolean;
}

/** What a chunker is given besides the text and the options. `Uses` are the kinds that its manifest uses. */
export type ChunkContext<Uses = never> = BaseChunkContext & ('embedding' extends Uses ? WithModel : unknown);

/** What the context also has if the manifest uses the kind `embedding`. */
export interface WithModel {
  readonly model: EmbeddingModel;
}

interface BaseChunkContext {
  /** The text as the requested tokenizer reads it, or that of the requested embedding model. */
  readonly tokens: TokenizedText;
  readonly document: DocumentInfo;
  /** Adds response metadata about how this text was chunked: the header `x-<name>`. */
  readonly report: Report;
  /** Aborts once the answer is no longer wanted: the client has gone, or time is up. */
  readonly signal: AbortSignal;
  /**
   * Packs the pieces between rising boundaries (the start of the first, ..., the end of the last) into chunks. A
   * piece that is over the limit by itself becomes a chunk of its own.
   */
  pack(boundaries: ArrayLike<number>, limits: PackLimits): Span[];
  /** Windows of `size` tokens, each repeating the last `overlap` tokens of the previous one. */
  windows(size: number, overlap?: number): Span[];
  /**
   * Divides a stretch of the text along a hierarchy: the first finder cuts it, the next one cuts what is still over
   * the limit, and at the end it is cut between tokens and between code points. A grapheme cluster that fits is never
   * cut. A heading, or anything else that only
   * introduces the text after it, stays with that text if the limit allows it.
   */
  divide(range: Span, finders: readonly CutFinder[], limits: DivideLimits): Span[];
  /**
   * Packs a text along its structure. What is too large is cut at its best boundaries first, and the text between two
   * of them is packed whole as long as it fits; a piece that is too large by itself is divided by `divide`. Each span
   * has as `context` what it carries, at most half of `chunk_size` tokens: more is shortened, then left out, and the
   * field `context_shortened` says so. With `count_context` the limit applies to the context, a line feed and the
   * text together.
   */
  packStructure(structure: Structure, rules: StructureRules): Span[];
}

/** A plugin that can tell what is wrong with its options before it is called. */
export interface ChecksOptions {
  /**
   * What is wrong with options in a way that the schema cannot express, such as a name that does not exist: sentences
   * that begin with the option, without a full stop. The server adds the closest name to one that ends like this:
   * `recipe: there is no recipe "pros"; available: default, prose`. Any option may be missing. A call with these options is refused
   * for the same reasons.
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
   * Returns spans of `text` with rising starts and rising ends. `text` is never empty or only white space. A span
   * must not begin or end between the two halves of a surrogate pair.
   */
  chunk(
    text: string,
    options: Options,
    context: ChunkContext<Uses>,
  ): readonly Span[] | Promise<readonly Span[]>;
}

/** A chunker whose options and uses are known only to its manifest. */
export type AnyChunker = ChecksOptions & {
  chunk(text: string, options: never, context: never): readonly Span[] | Promise<readonly Span[]>;
};

/** Where a text can be cut, and how good each place is: the input to packing for all structured formats. */
export interface Outline {
  /** Rising offsets, from 0 to the length of the text: the ends of the smallest pieces. */
  readonly edges: ArrayLike<number>;
  /**
   * For each boundary: the lower, the better to cut there. Keep the number of different ranks small: each costs a
   * pass over the boundaries.
   */
  readonly ranks: ArrayLike<number>;
}

/** A text whose structure a chunker has found. */
export interface Structure {
  readonly outline: Outline;
  /** What a chunk that begins at an offset carries; nothing if it is missing. Called with any offset of the text. */
  carriedAt?(start: number): Carried | undefined;
  /** Cuts a stretch that is too large and has no boundaries within it into chunks of at most `size` tokens. */
  divide(start: number, end: number, size: number): readonly Span[];
}

/** What a chunk carries. The same object as long as the path stays the same. */
export interface Carried {
  /** The headings above it, the highest first. */
  readonly path?: readonly string[] | undefined;
  /** The beginning of the element in whose middle the chunk begins, such as the header of a table. */
  readonly opening?: string | undefined;
}

/** The options by which a structured text is packed (see `options.ts`), in tokens. */
export interface StructureRules {
  readonly chunk_size: number;
  /** Below 1, a fraction of `chunk_size`; at most half of `chunk_size` counts. */
  readonly min_chunk_size: number;
  readonly count_context?: boolean;
  /** At boundaries of this rank or lower, a chunk begins even if more would fit; at none if it is missing. */
  readonly always?: number;
}
