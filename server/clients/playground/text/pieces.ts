import type { Chunk } from '../data/model.ts';
import { firstIndex } from './search.ts';

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
  const first = firstIndex(chunks.length, (index) => (chunks[index] as Chunk).end_index > from);
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

/** For each list of chunks, the offsets of its boundaries that another list does not have. */
export function differencesOf(lists: readonly (readonly Chunk[])[]): Set<number>[] {
  const all = lists.map(
    (chunks) => new Set(chunks.flatMap(({ start_index, end_index }) => [start_index, end_index])),
  );
  const shared = all.reduce((common, own) => common.intersection(own), all[0] ?? new Set());
  return all.map((own) => own.difference(shared));
}
