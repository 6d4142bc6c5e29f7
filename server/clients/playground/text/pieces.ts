import type { Chunk } from '../data/model.ts';

/** A stretch of the text with uniform display. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  /** The first chunk that covers it; -1 in a gap. */
  readonly chunk: number;
  /** Whether other chunks also cover it. */
  readonly isOverlap: boolean;
  /** Whether a chunk begins here. */
  readonly isStart: boolean;
}

/**
 * Divides `[from, to)` where chunks begin and end.
 *
 * @param chunks with rising starts and ends, as chunkers return them
 */
export function piecesOf(chunks: readonly Chunk[], from: number, to: number): Piece[] {
  const first = firstEndingAfter(chunks, from);
  const edges = new Set([from, to]);
  const starts = new Set<number>();
  for (let index = first; index < chunks.length; index++) {
    const { start_index, end_index } = chunks[index] as Chunk;
    if (start_index >= to) break;
    if (start_index >= from) starts.add(start_index);
    if (end_index < to) edges.add(end_index);
  }
  const sorted = [...edges.union(starts)].sort((a, b) => a - b);
  let covering = first;
  return sorted.slice(0, -1).map((start, at) => {
    while (covering < chunks.length && (chunks[covering] as Chunk).end_index <= start) covering++;
    const covers = (index: number) => (chunks[index]?.start_index ?? Number.POSITIVE_INFINITY) <= start;
    const end = sorted[at + 1] as number;
    const chunk = covers(covering) ? covering : -1;
    return { start, end, chunk, isOverlap: chunk !== -1 && covers(covering + 1), isStart: starts.has(start) };
  });
}

/** The first chunk that ends after an offset; the number of chunks if none does. */
function firstEndingAfter(chunks: readonly Chunk[], offset: number): number {
  let [low, high] = [0, chunks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((chunks[middle] as Chunk).end_index > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}
