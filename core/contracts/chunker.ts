import type { DocumentInfo, Report, Span } from './chunk.ts';
import type { EmbeddingModel } from './embedding.ts';
import type { Structure, StructureRules } from './structure.ts';
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
   * Packs a text along its structure. What is too large is cut at its best edges first, and what stands between them is
   * packed whole as long as it fits; a piece that alone is too large is divided by `divide`. Each span has as `context`
   * what it carries, of at most half of `chunk_size` tokens: more is shortened and then left out, and the field
   * `context_shortened` says so. With `count_context` the limit holds for the context, a line feed and the text together.
   */
  packStructure(structure: Structure, rules: StructureRules): Span[];
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
