import type { Ranks } from '../vocabulary/ranks.ts';
import { type Merge, NO_RANK, rankOrNone } from './merge.ts';
import { MergeQueue } from './merge-queue.ts';

/**
 * Merges a piece of any length in O(n log n): a linked list of parts, and a queue of pairs ordered by rank and
 * place. Takes about 50 bytes of memory for each byte of the piece while it runs.
 */
export function createLongMerge(ranks: Ranks): Merge {
  const queue = new MergeQueue(ranks.tokenStarts.length - 1);
  return (bytes, length, ids) => {
    const next = new Int32Array(length + 1);
    const previous = new Int32Array(length + 1);
    const pairRanks = new Int32Array(length + 1).fill(NO_RANK);
    // Each part offers at most one pair at first, and a merge takes one away and offers at most two.
    queue.prepare(2 * length);

    linkBytes(ranks, bytes, length, next, previous, ids);
    for (let part = 0; part < length - 1; part += 1)
      offer(part, ranks.pairs[((bytes[part] as number) << 8) | (bytes[part + 1] as number)] as number);
    while (queue.take()) {
      const { rank, place: part } = queue;
      if (pairRanks[part] !== rank) continue;
      const merged = next[part] as number;
      ids[part] = rank;
      pairRanks[merged] = NO_RANK;
      next[part] = next[merged] as number;
      previous[next[part] as number] = part;
      rankPair(part);
      if (part > 0) rankPair(previous[part] as number);
    }
    queue.release();
    return collectIds(ids, next, length);

    function rankPair(part: number): void {
      const neighbour = next[part] as number;
      offer(part, neighbour < length ? ranks.find(bytes, part, next[neighbour] as number) : -1);
    }

    function offer(part: number, rank: number): void {
      pairRanks[part] = rankOrNone(rank);
      if (rank >= 0) queue.add(rank, part);
    }
  };
}

/** Makes each byte a part, linked to its neighbours. */
function linkBytes(
  ranks: Ranks,
  bytes: Uint8Array,
  length: number,
  next: Int32Array,
  previous: Int32Array,
  ids: Uint32Array,
): void {
  for (let part = 0; part < length; part += 1) {
    next[part] = part + 1;
    previous[part] = part - 1;
    ids[part] = ranks.singles[bytes[part] as number] as number;
  }
}

/** Moves the ids of the parts that are left to the front, and returns how many there are. */
function collectIds(ids: Uint32Array, next: Int32Array, length: number): number {
  let tokens = 0;
  for (let part = 0; part < length; part = next[part] as number) {
    ids[tokens] = ids[part] as number;
    tokens += 1;
  }
  return tokens;
}
