import type { DocumentInfo, Report, Span } from './chunk.ts';
import type { EmbeddingModel } from './embedding.ts';
import type { TokenizedText } from './tokenizer.ts';

/** Contracts of chunkers. Offsets are UTF-16 code units; the core converts them to the answer's unit. */

/** Limits for packing pieces into chunks, in tokens. */
export interface PackLimits {
  /** Maximum tokens per chunk. */
  readonly size: number;
  /** Maximum tokens that a chunk repeats from the previous one. Only whole pieces are repeated. Default 0. */
  readonly overlap?: number;
  /** Minimum pieces per chunk, if `size` allows it. Default 1. */
  readonly minPieces?: number;
  /**
   * Estimates the sizes of single pieces, which saves counting. Chunks stay within `size` and have exact counts, but
   * may hold fewer pieces than would fit.
   */
  readonly approximate?: boolean;
}

/** Finds possible cuts between `start` and `end`: a new array of rising offsets, excluding both ends. */
export type CutFinder = (text: string, start: number, end: number) => number[];

/** Limits for dividing a text along a hierarchy of cuts. */
export interface DivideLimits {
  /** Maximum tokens per chunk. */
  readonly size: number;
  /** A chunk with fewer code points joins a neighbour if `size` allows it. Default 1. */
  readonly minCharacters?: number;
  /**
   * Maximum tokens that a chunk repeats from the end of the previous one; they count towards `size`. A chunk repeats
   * whole pieces of the coarsest finder whose pieces are small enough, else tokens. Default 0.
   */
  readonly overlap?: number;
  /** Whether an introduction, such as a heading, stays with the text after it. Default true. */
  readonly introductions?: boolean;
  /** Whether a short line between blank lines is an introduction too, as in prose. Default false. */
  readonly titles?: boolean;
}

/** The context of a call to a chunker. `Uses` lists the kinds that the manifest uses. */
export type ChunkContext<Uses = never> = BaseChunkContext & ('embedding' extends Uses ? WithModel : unknown);

/** Added to the context if the manifest uses the kind `embedding`. */
export interface WithModel {
  readonly model: EmbeddingModel;
}

interface BaseChunkContext {
  /** The text as read by the requested tokenizer, or by the tokenizer of the requested embedding model. */
  readonly tokens: TokenizedText;
  readonly document: DocumentInfo;
  /** Adds response metadata about the chunking of this text: the header `x-<name>`. */
  readonly report: Report;
  /** Aborts if the client disconnects or the time limit is reached. */
  readonly signal: AbortSignal;
  /**
   * Packs pieces into chunks. The rising boundaries are the start of the first piece and the end of every piece. A
   * piece over the limit becomes a chunk by itself.
   */
  pack(boundaries: ArrayLike<number>, limits: PackLimits): Span[];
  /** Windows of `size` tokens, each repeating the last `overlap` tokens of the previous one. */
  windows(size: number, overlap?: number): Span[];
  /**
   * Divides a stretch of the text along a hierarchy. The first finder cuts the stretch, and each further finder cuts
   * the pieces still over the limit. The last resort is to cut between tokens, then between code points. A grapheme
   * cluster that fits is never cut. A heading or another introduction stays with the text after it if the limit
   * allows it.
   */
  divide(range: Span, finders: readonly CutFinder[], limits: DivideLimits): Span[];
  /**
   * Packs a text along its structure. A stretch that is too large is cut at its best boundaries first; the text
   * between two boundaries is packed whole if it fits. A single piece that is too large is divided by `divide`.
   *
   * The `context` of a span is its carried text, at most half of `chunk_size` tokens. Longer text is shortened, then
   * left out, and the field `context_shortened` reports it. With `count_context` the limit applies to the context, a
   * line feed and the text together.
   */
  packStructure(structure: Structure, rules: StructureRules): Span[];
}

/** A plugin that can check its options before it is called. */
export interface ChecksOptions {
  /**
   * Problems with options that the schema cannot express, such as a name that does not exist. Each is a sentence
   * that begins with the option and has no full stop. Any option may be missing. A call with these options is
   * refused for the same reasons.
   *
   * The server adds the closest name to a sentence that ends like this: `recipe: there is no recipe "pros";
   * available: default, prose`.
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
   * Returns spans of `text` with rising starts and rising ends. `text` contains more than white space. A span must
   * not begin or end inside a surrogate pair.
   */
  chunk(
    text: string,
    options: Options,
    context: ChunkContext<Uses>,
  ): readonly Span[] | Promise<readonly Span[]>;
}

/** A chunker of unknown option and context types. */
export type AnyChunker = ChecksOptions & {
  chunk(text: string, options: never, context: never): readonly Span[] | Promise<readonly Span[]>;
};

/** The possible cuts of a text and their quality: the input to packing for all structured formats. */
export interface Outline {
  /** Rising offsets, from 0 to the length of the text: the ends of the smallest pieces. */
  readonly edges: ArrayLike<number>;
  /** The rank of each boundary; lower is better. Each distinct rank costs a pass over the boundaries. */
  readonly ranks: ArrayLike<number>;
}

/** The structure of a text, found by a chunker. */
export interface Structure {
  readonly outline: Outline;
  /** The carried text of a chunk that begins at `start`, any offset of the text. By default, it is empty. */
  carriedAt?(start: number): Carried | undefined;
  /** Cuts a stretch without inner boundaries into chunks of at most `size` tokens. */
  divide(start: number, end: number, size: number): readonly Span[];
}

/** The text that a chunk carries. Return the same object while the path is the same. */
export interface Carried {
  /** The headings above the chunk, the highest first. */
  readonly path?: readonly string[] | undefined;
  /** The beginning of an element that continues in the chunk, such as the header of a table. */
  readonly opening?: string | undefined;
}

/** The options for packing a structured text (see `options.ts`), in tokens. */
export interface StructureRules {
  readonly chunk_size: number;
  /** A value below 1 is a fraction of `chunk_size`. The maximum is half of `chunk_size`. */
  readonly min_chunk_size: number;
  readonly count_context?: boolean;
  /** Boundaries of this rank or lower always begin a chunk. By default, no boundary does. */
  readonly always?: number;
}
