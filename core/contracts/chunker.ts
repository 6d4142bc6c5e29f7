import type { DocumentInfo, Report, Span } from './chunk.ts';
import type { EmbeddingModel } from './embedding.ts';
import type { TokenizedText } from './tokenizer.ts';

/**
 * Contracts of chunkers. Offsets are UTF-16 code units of the source text, as JavaScript counts them. They
 * become code points (or bytes) once, when an answer is written.
 */

/** Limits for packing pieces into chunks, in tokens. */
export interface PackLimits {
  /** Most tokens of a chunk. */
  readonly size: number;
  /** Most tokens that a chunk repeats from the one before it; whole pieces only. Default 0. */
  readonly overlap?: number;
  /** Fewest pieces of a chunk, if `size` allows it. Default 1. */
  readonly minPieces?: number;
  /**
   * Estimates the sizes of single pieces, so that less text is counted. The counts of chunks and the
   * limit stay exact; a chunk may hold fewer pieces than it could.
   */
  readonly approximate?: boolean;
}

/** Finds where a text can be cut between `start` and `end`: a new array of rising offsets, without both ends. */
export type CutFinder = (text: string, start: number, end: number) => number[];

/** Limits for dividing a text along a hierarchy of cuts. */
export interface DivideLimits {
  /** Most tokens of a chunk. */
  readonly size: number;
  /** A chunk of fewer code points joins a neighbour if `size` allows it. Default 1. */
  readonly minCharacters?: number;
  /**
   * Most tokens that a chunk repeats from the end of the one before it, which `size` counts as well: whole pieces
   * of the coarsest finder that has any so small, else tokens. Default 0.
   */
  readonly overlap?: number;
}

/** Where a text can be cut, and how good each place is: what all formats with a structure are packed by. */
export interface Outline {
  /** Rising offsets, from 0 to the length of the text: the ends of the smallest pieces. */
  readonly edges: ArrayLike<number>;
  /** For each edge: the lower, the better to cut there. Few different ranks: each costs a pass over the edges. */
  readonly ranks: ArrayLike<number>;
}

/** Limits for packing an outline, in tokens. */
export interface OutlineLimits {
  /** Most tokens of a chunk. */
  readonly size: number;
  /** Most tokens of a chunk that begins at an offset, at most `size`; for what it carries besides its text. Default `size`. */
  readonly roomAt?: (start: number) => number;
  /** A chunk of fewer tokens joins a neighbour where both fit; at most half of `size` counts. */
  readonly minimum: number;
  /** At edges of this rank and below, a chunk begins even where more would fit. */
  readonly always: number;
}

/** Cuts a stretch of a text that is too large for a chunk and has no edges within. */
export type DivideStretch = (start: number, end: number) => readonly Span[];

/** What a chunker is given besides the text and the options; `Uses` are the kinds that its manifest uses. */
export type ChunkContext<Uses = never> = BaseChunkContext & ('embedding' extends Uses ? WithModel : unknown);

/** What the context also has if the manifest uses the kind `embedding`. */
export interface WithModel {
  /** The model that the request names. */
  readonly model: EmbeddingModel;
}

interface BaseChunkContext {
  /** The text as the requested tokenizer reads it, or that of the requested embedding model. */
  readonly tokens: TokenizedText;
  /** The number of tokens of any text, as the same tokenizer counts it; for what a chunk carries besides its own. */
  count(text: string): number;
  /** What the request says of the document besides its text. */
  readonly document: DocumentInfo;
  /** Adds response metadata about how this text was chunked: the header `x-<name>`. */
  readonly report: Report;
  /** Aborts once the answer is not wanted any more: the client has gone, or the time is up. */
  readonly signal: AbortSignal;
  /**
   * Packs the pieces between rising boundaries (the first one's start, ..., the last one's end) into chunks.
   * A piece that alone is over the limit becomes a chunk of its own.
   */
  pack(boundaries: ArrayLike<number>, limits: PackLimits): Span[];
  /** Windows of `size` tokens, each repeating the last `overlap` tokens of the one before. */
  windows(size: number, overlap?: number): Span[];
  /**
   * Divides a stretch of the text along a hierarchy: cut by the first finder, what is still over the
   * limit by the next, at last between tokens and between code points. A heading, and whatever else only
   * introduces the text behind it, goes with that where the limit allows it.
   */
  divide(range: Span, finders: readonly CutFinder[], limits: DivideLimits): Span[];
  /**
   * Packs the pieces of an outline into chunks. What is too large is cut at its best edges first, and what stands between
   * them is packed whole as long as it fits; a piece that alone is too large is divided by `divide`.
   */
  packOutline(outline: Outline, limits: OutlineLimits, divide: DivideStretch): Span[];
}

/** Says where a text is cut. */
export interface Chunker<Options = Record<string, unknown>, Uses = never> {
  /**
   * Returns spans of `text` with rising starts and rising ends. `text` is never empty or white space
   * only. A span's boundary must not fall between the two halves of a surrogate pair.
   */
  chunk(
    text: string,
    options: Options,
    context: ChunkContext<Uses>,
  ): readonly Span[] | Promise<readonly Span[]>;
}

/** A chunker whose options and uses only its manifest knows. */
export type AnyChunker = {
  chunk(text: string, options: never, context: never): readonly Span[] | Promise<readonly Span[]>;
};
