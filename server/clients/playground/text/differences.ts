import type { Chunk } from '../data/model.ts';

/** The offsets at which chunks begin or end. */
function boundariesOf(chunks: readonly Chunk[]): Set<number> {
  return new Set(chunks.flatMap(({ start_index, end_index }) => [start_index, end_index]));
}

/** For each list of chunks, the offsets of its boundaries that another list does not have. */
export function differencesOf(lists: readonly (readonly Chunk[])[]): Set<number>[] {
  const all = lists.map((chunks) => boundariesOf(chunks));
  return all.map((own) => new Set([...own].filter((offset) => all.some((other) => !other.has(offset)))));
}
