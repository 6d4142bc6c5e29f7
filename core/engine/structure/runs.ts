import type { Span } from '../../contracts/chunk.ts';
import type { Outline } from '../../contracts/structure.ts';
import type { TokenizedText } from '../../contracts/tokenizer.ts';

/** Limits for packing an outline, in tokens. */
export interface OutlineLimits {
  /** Maximum tokens per chunk. */
  readonly size: number;
  /** Maximum tokens of a chunk that begins at an offset; at most `size`, which is the default. */
  readonly roomAt?: (start: number) => number;
  /** A chunk of fewer tokens joins a neighbour if both fit; at most half of `size` counts. */
  readonly minimum: number;
  /** At boundaries of this rank or lower, a chunk begins even if more would fit. */
  readonly always: number;
}

/** Cuts a stretch that is too large for a chunk and has no boundaries within it. */
export type DivideStretch = (start: number, end: number) => readonly Span[];

/**
 * A chunk being built: the pieces between two boundaries, or a part of one piece, in which case both boundaries are
 * the same.
 */
export interface Run {
  /** Index of the boundary that it begins with. */
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
  readonly count: number;
  /** Rank of the boundary that it begins with. */
  readonly rank: number;
}

/** A text that is being packed along its outline. */
export interface Packing {
  readonly outline: Outline;
  readonly tokens: TokenizedText;
  readonly limits: OutlineLimits;
  readonly divide: DivideStretch;
  /** A run of fewer tokens is short. */
  readonly minimum: number;
  /**
   * Tokens of the pieces before each boundary, each piece counted alone. Runs are guessed from these; exact counts
   * decide.
   */
  readonly totals: Float64Array;
  /** The chunks so far. */
  readonly runs: Run[];
}

export function startPacking(
  outline: Outline,
  tokens: TokenizedText,
  limits: OutlineLimits,
  divide: DivideStretch,
): Packing {
  const { edges } = outline;
  const totals = new Float64Array(edges.length);
  for (let edge = 1; edge < edges.length; edge++) {
    const count = tokens.count(edges[edge - 1] as number, edges[edge] as number);
    totals[edge] = (totals[edge - 1] as number) + count;
  }
  // Near the limit every chunk would be short, and none could be a chunk by itself.
  const minimum = Math.min(limits.minimum, Math.floor(limits.size / 2));
  return { outline, tokens, limits, divide, minimum, totals, runs: [] };
}

export function rankAt({ outline }: Packing, edge: number): number {
  return outline.ranks[edge] as number;
}

/** Tokens of the pieces between two boundaries, each counted alone. */
export function sumOf({ totals }: Packing, from: number, to: number): number {
  return (totals[to] as number) - (totals[from] as number);
}

export function isShort({ minimum }: Packing, { count }: Run): boolean {
  return count < minimum;
}

/** Maximum tokens of a chunk that begins at an offset. */
export function roomAt({ limits }: Packing, start: number): number {
  return limits.roomAt?.(start) ?? limits.size;
}

/** The pieces between two boundaries as one run, however large. */
export function runOf(packing: Packing, from: number, to: number): Run {
  const { edges } = packing.outline;
  const start = edges[from] as number;
  const end = edges[to] as number;
  const count = to === from + 1 ? sumOf(packing, from, to) : packing.tokens.count(start, end);
  return { from, to, start, end, count, rank: rankAt(packing, from) };
}

export function runIfFits(packing: Packing, from: number, to: number): Run | undefined {
  if (!isWorthCounting(packing, sumOf(packing, from, to))) return undefined;
  const run = runOf(packing, from, to);
  return fits(packing, run) ? run : undefined;
}

export function fits(packing: Packing, { start, count }: Run): boolean {
  return count <= roomAt(packing, start);
}

/**
 * Whether pieces with this many tokens, each counted alone, may fit as one text; joined they have slightly fewer. It
 * bounds wasted counting.
 */
export function isWorthCounting({ limits }: Packing, sum: number): boolean {
  return sum <= 1.25 * limits.size + 2;
}
