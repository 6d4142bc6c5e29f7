/**
 * Merges the bytes of one piece until no two neighbours make a token: the pair of the lowest rank first, and of equal
 * ones the leftmost. Writes the ids of the remaining tokens to `ids`, which must have room for one per byte, and
 * returns how many there are.
 */
export type Merge = (bytes: Uint8Array, length: number, ids: Uint32Array) => number;

/** The rank of a pair that is not a token: higher than any rank. */
export const NO_RANK = 0x7fffffff;

/** A rank as `Ranks` gives it, with `NO_RANK` instead of -1. */
export function rankOrNone(rank: number): number {
  return rank < 0 ? NO_RANK : rank;
}
