import type { Ranks } from './ranks.ts';

/**
 * Merges the bytes of one piece, the pair of the lowest rank first and of equal ones the leftmost, until no
 * two neighbours make a token. Writes the ids of the tokens that are left to `ids`, which must have a place
 * for each byte, and returns how many they are.
 */
export type Merge = (bytes: Uint8Array, length: number, ids: Uint32Array) => number;

const NONE = 0x7fffffff;

/**
 * Merges pieces of at most `longest` bytes by looking for the best pair over and over: the time grows with
 * the square of the length, and is the shortest where that is small.
 */
export function createShortMerge(ranks: Ranks, longest: number): Merge {
  const starts = new Int32Array(longest + 1);
  const pairRanks = new Int32Array(longest + 1);

  return (bytes, length, ids) => {
    let parts = length;
    for (let part = 0; part < length; part += 1) {
      const byte = bytes[part] as number;
      starts[part] = part;
      ids[part] = ranks.singles[byte] as number;
      pairRanks[part] =
        part + 1 < length
          ? rankOrNone(ranks.pairs[(byte << 8) | (bytes[part + 1] as number)] as number)
          : NONE;
    }
    starts[length] = length;
    for (;;) {
      let best = NONE;
      let at = 0;
      for (let part = 0; part < parts - 1; part += 1) {
        const rank = pairRanks[part] as number;
        if (rank >= best) continue;
        best = rank;
        at = part;
      }
      if (best === NONE) return parts;
      ids[at] = best;
      parts -= 1;
      for (let part = at + 1; part < parts; part += 1) {
        starts[part] = starts[part + 1] as number;
        ids[part] = ids[part + 1] as number;
        pairRanks[part] = pairRanks[part + 1] as number;
      }
      starts[parts] = length;
      pairRanks[at] = at + 1 < parts ? pairRank(at) : NONE;
      if (at > 0) pairRanks[at - 1] = pairRank(at - 1);
    }

    function pairRank(part: number): number {
      return rankOrNone(ranks.find(bytes, starts[part] as number, starts[part + 2] as number));
    }
  };
}

/**
 * Merges a piece of any length in O(n log n): a linked list of parts, and a heap of pairs ordered by rank and
 * place. Takes about 40 bytes of memory for each byte of the piece while it runs.
 */
export function createLongMerge(ranks: Ranks): Merge {
  return (bytes, length, ids) => {
    const next = new Int32Array(length + 1);
    const previous = new Int32Array(length + 1);
    const pairRanks = new Int32Array(length + 1).fill(NONE);
    const heap = createPairHeap(length);
    for (let part = 0; part < length; part += 1) {
      const byte = bytes[part] as number;
      next[part] = part + 1;
      previous[part] = part - 1;
      ids[part] = ranks.singles[byte] as number;
      if (part + 1 === length) break;
      const rank = ranks.pairs[(byte << 8) | (bytes[part + 1] as number)] as number;
      if (rank < 0) continue;
      pairRanks[part] = rank;
      heap.push(rank, part);
    }

    while (heap.pop()) {
      const part = heap.part;
      if (pairRanks[part] !== heap.rank) continue;
      const merged = next[part] as number;
      const after = next[merged] as number;
      ids[part] = heap.rank;
      pairRanks[merged] = NONE;
      next[part] = after;
      previous[after] = part;
      rankPair(part);
      if (part > 0) rankPair(previous[part] as number);
    }

    let tokens = 0;
    for (let part = 0; part < length; part = next[part] as number) {
      ids[tokens] = ids[part] as number;
      tokens += 1;
    }
    return tokens;

    function rankPair(part: number): void {
      const neighbour = next[part] as number;
      const rank = neighbour < length ? ranks.find(bytes, part, next[neighbour] as number) : -1;
      pairRanks[part] = rankOrNone(rank);
      if (rank >= 0) heap.push(rank, part);
    }
  };
}

/** A heap of pairs whose head, after `pop`, is `rank` and `part`. */
function createPairHeap(length: number) {
  const places = 2 ** Math.ceil(Math.log2(length + 1));
  let keys = new Float64Array(length);
  let size = 0;

  const heap = {
    rank: 0,
    part: 0,

    push(rank: number, part: number): void {
      if (size === keys.length) {
        const grown = new Float64Array(2 * size + 16);
        grown.set(keys);
        keys = grown;
      }
      const key = rank * places + part;
      let at = size;
      size += 1;
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if ((keys[parent] as number) <= key) break;
        keys[at] = keys[parent] as number;
        at = parent;
      }
      keys[at] = key;
    },

    /** Takes the head off the heap; false where the heap is empty. */
    pop(): boolean {
      if (size === 0) return false;
      const head = keys[0] as number;
      heap.rank = Math.floor(head / places);
      heap.part = head - heap.rank * places;
      size -= 1;
      const last = keys[size] as number;
      let at = 0;
      for (let child = 1; child < size; child = 2 * at + 1) {
        if (child + 1 < size && (keys[child + 1] as number) < (keys[child] as number)) child += 1;
        if ((keys[child] as number) >= last) break;
        keys[at] = keys[child] as number;
        at = child;
      }
      keys[at] = last;
      return true;
    },
  };
  return heap;
}

function rankOrNone(rank: number): number {
  return rank < 0 ? NONE : rank;
}
