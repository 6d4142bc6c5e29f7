import type { Ranks } from '../vocabulary/ranks.ts';

/**
 * Merges the bytes of one piece until no two neighbours make a token: the pair of the lowest rank first, and of equal
 * ones the leftmost. Writes the ids of the remaining tokens to `ids`, which must have room for one per byte, and
 * returns how many there are.
 */
export type Merge = (bytes: Uint8Array, length: number, ids: Uint32Array) => number;

/** The rank of a pair that is not a token: higher than any rank. */
const NO_RANK = 0x7fffffff;
const NO_PAIR = -1;

/**
 * Merges pieces of at most `longest` bytes by repeatedly searching for the best pair. The time is quadratic in the
 * length, but short pieces take less than with a heap.
 */
export function createShortMerge(ranks: Ranks, longest: number): Merge {
  const starts = new Int32Array(longest + 1);
  const pairRanks = new Int32Array(longest + 1);

  return (bytes, length, ids) => {
    startWithBytes(ranks, bytes, length, starts, pairRanks, ids);
    let parts = length;
    for (let at = bestPair(pairRanks, parts); at !== NO_PAIR; at = bestPair(pairRanks, parts)) {
      ids[at] = pairRanks[at] as number;
      parts -= 1;
      for (let part = at + 1; part < parts; part += 1) {
        starts[part] = starts[part + 1] as number;
        ids[part] = ids[part + 1] as number;
        pairRanks[part] = pairRanks[part + 1] as number;
      }
      starts[parts] = length;
      pairRanks[at] = at + 1 < parts ? pairRank(ranks, bytes, starts, at) : NO_RANK;
      if (at > 0) pairRanks[at - 1] = pairRank(ranks, bytes, starts, at - 1);
    }
    return parts;
  };
}

/** Makes each byte a part, with the rank of the pair that it begins. */
function startWithBytes(
  ranks: Ranks,
  bytes: Uint8Array,
  length: number,
  starts: Int32Array,
  pairRanks: Int32Array,
  ids: Uint32Array,
): void {
  for (let part = 0; part < length; part += 1) {
    const byte = bytes[part] as number;
    starts[part] = part;
    ids[part] = ranks.singles[byte] as number;
    pairRanks[part] =
      part + 1 < length
        ? rankOrNone(ranks.pairs[(byte << 8) | (bytes[part + 1] as number)] as number)
        : NO_RANK;
  }
  starts[length] = length;
}

/** The first part of the pair with the lowest rank, or `NO_PAIR` if no pair is a token. */
function bestPair(pairRanks: Int32Array, parts: number): number {
  let best = NO_RANK;
  let at = NO_PAIR;
  for (let part = 0; part < parts - 1; part += 1) {
    const rank = pairRanks[part] as number;
    if (rank >= best) continue;
    best = rank;
    at = part;
  }
  return at;
}

/** A rank as `Ranks` gives it, with `NO_RANK` instead of -1. */
function rankOrNone(rank: number): number {
  return rank < 0 ? NO_RANK : rank;
}

function pairRank(ranks: Ranks, bytes: Uint8Array, starts: Int32Array, part: number): number {
  return rankOrNone(ranks.find(bytes, starts[part] as number, starts[part + 2] as number));
}
