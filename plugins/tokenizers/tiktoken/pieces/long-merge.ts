import type { Ranks } from '../vocabulary/ranks.ts';
import { type Merge, NO_RANK, rankOrNone } from './merge.ts';
import { MergeQueue } from './merge-queue.ts';

/**
 * Merges a piece of any length in O(n log n): a linked list of parts, and a queue of pairs ordered by rank and
 * place. Takes about 50 bytes of memory for each byte of the piece while it runs.
 */
export function createLongMerge(ranks: Ranks): Merge {
  const findPair = memoizePairs(ranks);
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
      const isLast = neighbour === length;
      offer(part, isLast ? -1 : findPair(ids, part, neighbour, bytes, next[neighbour] as number));
    }

    function offer(part: number, rank: number): void {
      pairRanks[part] = rankOrNone(rank);
      if (rank >= 0) queue.add(rank, part);
    }
  };
}

/** Pairs of tokens whose rank is kept; a power of two. */
const KEPT_PAIRS = 1 << 12;

/**
 * Finds the rank of the pair of tokens `ids[first]` and `ids[second]`, which are the bytes from `first` to `end`. Long pieces
 * mostly repeat a few pairs, and to find a rank takes time linear in its bytes.
 */
function memoizePairs(ranks: Ranks) {
  const firsts = new Int32Array(KEPT_PAIRS).fill(-1);
  const seconds = new Int32Array(KEPT_PAIRS);
  const found = new Int32Array(KEPT_PAIRS);
  return (ids: Uint32Array, first: number, second: number, bytes: Uint8Array, end: number): number => {
    const one = ids[first] as number;
    const other = ids[second] as number;
    const slot = (Math.imul(one, 0x5bd1e995) ^ other) & (KEPT_PAIRS - 1);
    if (firsts[slot] !== one || seconds[slot] !== other) {
      firsts[slot] = one;
      seconds[slot] = other;
      found[slot] = ranks.find(bytes, first, end);
    }
    return found[slot] as number;
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
