import type { Span } from './chunk.ts';

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
