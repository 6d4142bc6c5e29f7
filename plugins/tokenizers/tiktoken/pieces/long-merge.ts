import type { Ranks } from '../vocabulary/ranks.ts';
import { createNeighbourTest, type NeighbourTest } from './merge-history.ts';
import type { Merge } from './short-merge.ts';

/**
 * Computes the result of merging a piece of any length, in linear time and without merging: the bytes of any two
 * neighbours merge to exactly these two, and there is one such row of tokens for each beginning of a piece. So the
 * row is built from the left, with the longest token that is compatible with the previous one; if there is none, the
 * last token is replaced by a shorter one, and the longer one is never tried there again.
 * That neighbours decide was found by H. van Antwerpen and A. Neubeck, "So many tokens, so little time" (GitHub,
 * 2024).
 */
export function createLongMerge(ranks: Ranks): Merge {
  let areNeighbours: NeighbourTest | undefined;
  const found = new Int32Array(ranks.longest);

  return (bytes, length, ids) => {
    areNeighbours ??= createNeighbourTest(ranks);
    const isDead = new Uint8Array(length + 1);
    let tokens = 0;
    let at = 0;
    let candidates = ranks.candidatesAt(bytes, at, length, found);
    while (at < length) {
      if (candidates === 0) {
        isDead[at] = 1;
        const last = ranks.lengthOf(ids[--tokens] as number);
        at -= last;
        candidates = ranks.candidatesAt(bytes, at, at + last - 1, found);
        continue;
      }
      const token = found[--candidates] as number;
      const end = at + ranks.lengthOf(token);
      if (isDead[end] === 1) continue;
      if (tokens > 0 && !areNeighbours(ids[tokens - 1] as number, token)) continue;
      if (!ranks.isAt(token, bytes, at)) continue;
      ids[tokens++] = token;
      at = end;
      if (at < length) candidates = ranks.candidatesAt(bytes, at, length, found);
    }
    return tokens;
  };
}
