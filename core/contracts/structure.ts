import type { Span } from './chunk.ts';

/** Where a text can be cut, and how good each place is: what all formats with a structure are packed by. */
export interface Outline {
  /** Rising offsets, from 0 to the length of the text: the ends of the smallest pieces. */
  readonly edges: ArrayLike<number>;
  /** For each edge: the lower, the better to cut there. Few different ranks: each costs a pass over the edges. */
  readonly ranks: ArrayLike<number>;
}

/** A text whose structure a chunker has found. */
export interface Structure {
  readonly outline: Outline;
  /** What a chunk that begins at an offset carries; nothing if it is missing. Any offset of the text may be asked for. */
  carriedAt?(start: number): Carried | undefined;
  /** Cuts a stretch that is too large and has no edges within into chunks of at most `size` tokens. */
  divide(start: number, end: number, size: number): readonly Span[];
}

/** What a chunk carries. As long as a path stays the same, it is the same object. */
export interface Carried {
  /** The headings that it stands under, the highest first. */
  readonly path?: readonly string[] | undefined;
  /** What the element begins with in whose middle the chunk begins, such as the header of a table. */
  readonly opening?: string | undefined;
}

/** The options by which a structured text is packed (see `options.ts`), in tokens. */
export interface StructureRules {
  readonly chunk_size: number;
  /** Below 1 a fraction of `chunk_size`; at most half of that counts. */
  readonly min_chunk_size: number;
  readonly count_context?: boolean;
  /** At edges of this rank and below, a chunk begins even where more would fit; at none if it is missing. */
  readonly always?: number;
}
