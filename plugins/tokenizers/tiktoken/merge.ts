import type { Ranks } from './ranks.ts';

/**
 * Merges the bytes of one piece until no two neighbours form a token. The pair of the lowest rank is merged
 * first, the leftmost among equals. Writes the remaining tokens to `ids`, which must have room for one per
 * byte, and returns their number.
 */
export type Merge = (bytes: Uint8Array, length: number, ids: Uint32Array) => number;

/** The rank of a pair that is not a token; higher than any rank. */
const NO_RANK = 0x7fffffff;
const NO_PAIR = -1;

/** Merges pieces of at most `longest` bytes in quadratic time. For short pieces, a heap would be slower. */
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

function rankOrNone(rank: number): number {
  return rank < 0 ? NO_RANK : rank;
}

function pairRank(ranks: Ranks, bytes: Uint8Array, starts: Int32Array, part: number): number {
  return rankOrNone(ranks.find(bytes, starts[part] as number, starts[part + 2] as number));
}

/**
 * Finds the result of merging a piece in linear time, without merging. In a result, any two adjacent tokens
 * merge to exactly themselves, and each prefix of a piece has only one such sequence of tokens. The sequence
 * is built from the left: the longest token compatible with the previous token is added. If there is none, a
 * shorter token replaces the previous one, and no later token may end where the replaced token ended. (H. van
 * Antwerpen and A. Neubeck, "So many tokens, so little time", GitHub, 2024.)
 */
export function createLongMerge(ranks: Ranks): Merge {
  let areNeighbours: NeighbourTest | undefined;
  const candidates = new Int32Array(ranks.longest);

  return (bytes, length, ids) => {
    areNeighbours ??= createNeighbourTest(ranks);
    const isDead = new Uint8Array(length + 1);
    let tokens = 0;
    let at = 0;
    let remaining = ranks.candidatesAt(bytes, at, length, candidates);
    while (at < length) {
      if (remaining === 0) {
        isDead[at] = 1;
        const last = ranks.lengthOf(ids[--tokens] as number);
        at -= last;
        remaining = ranks.candidatesAt(bytes, at, at + last - 1, candidates);
        continue;
      }
      const token = candidates[--remaining] as number;
      const end = at + ranks.lengthOf(token);
      if (isDead[end] === 1) continue;
      if (tokens > 0 && !areNeighbours(ids[tokens - 1] as number, token)) continue;
      if (!ranks.isAt(token, bytes, at)) continue;
      ids[tokens++] = token;
      at = end;
      if (at < length) remaining = ranks.candidatesAt(bytes, at, length, candidates);
    }
    return tokens;
  };
}

/** Whether the concatenated bytes of two tokens merge to exactly these two. */
export type NeighbourTest = (first: number, second: number) => boolean;

const NONE = -1;
const UNKNOWN = -2;

/** Creates the test. It throws an Error if a token cannot be merged from tokens of lower ranks. */
export function createNeighbourTest(ranks: Ranks): NeighbourTest {
  const history = new MergeHistory(ranks);
  const tokens = ranks.tokenStarts.length - 1;
  return remembered((first, second) => history.endWith(first, second, tokens));
}

/**
 * For each token, finds the two tokens that it is merged from: they determine its possible neighbours. They
 * are found on demand, because finding all of them takes longer than encoding most texts.
 */
class MergeHistory {
  readonly #ranks: Ranks;
  readonly #lefts: Int32Array;
  readonly #rights: Int32Array;
  readonly #joined: Uint8Array;

  constructor(ranks: Ranks) {
    const tokens = ranks.tokenStarts.length - 1;
    this.#ranks = ranks;
    this.#lefts = new Int32Array(tokens).fill(UNKNOWN);
    this.#rights = new Int32Array(tokens).fill(NONE);
    this.#joined = new Uint8Array(2 * ranks.longest);
  }

  /**
   * Whether the concatenated bytes of two tokens merge to exactly these two, using only ranks below
   * `maxRank`. Undoes the merges next to the boundary of the tokens, the last merge first. The answer is no
   * if the parts at the boundary form a token that would have been merged earlier.
   */
  endWith(first: number, second: number, maxRank: number): boolean {
    let left = first;
    let right = second;
    let limit = maxRank;
    for (;;) {
      if (this.#mergeBelow(left, right, limit)) return false;
      const isLeftByte = this.#leftOf(left) === NONE;
      const isRightByte = this.#leftOf(right) === NONE;
      if (isLeftByte && isRightByte) return true;
      // Equal ranks are merged from left to right: a merge across the boundary precedes one to its right.
      if (isRightByte || (!isLeftByte && left > right)) {
        limit = left;
        left = this.#rights[left] as number;
      } else {
        limit = right + 1;
        right = this.#lefts[right] as number;
      }
    }
  }

  #mergeBelow(left: number, right: number, limit: number): boolean {
    const length = this.#copyBytes(right, this.#copyBytes(left, 0));
    const token = this.#ranks.find(this.#joined, 0, length);
    return token >= 0 && token < limit && this.#leftOf(token) === left;
  }

  #copyBytes(token: number, at: number): number {
    const { tokenStarts, tokenBytes } = this.#ranks;
    const end = tokenStarts[token + 1] as number;
    let to = at;
    for (let from = tokenStarts[token] as number; from < end; from += 1)
      this.#joined[to++] = tokenBytes[from] as number;
    return to;
  }

  #leftOf(token: number): number {
    if (this.#lefts[token] === UNKNOWN) this.#lefts[token] = this.#findLeft(token);
    return this.#lefts[token] as number;
  }

  #findLeft(token: number): number {
    const { tokenStarts, tokenBytes } = this.#ranks;
    const start = tokenStarts[token] as number;
    const end = tokenStarts[token + 1] as number;
    if (end - start < 2) return NONE;
    const candidates = new Int32Array(end - start);
    const count = this.#ranks.candidatesAt(tokenBytes, start, end - 1, candidates);
    for (const left of candidates.subarray(0, count)) {
      if (left >= token || !this.#ranks.isAt(left, tokenBytes, start)) continue;
      const right = this.#ranks.find(tokenBytes, start + this.#ranks.lengthOf(left), end);
      if (right < 0 || right >= token || !this.endWith(left, right, token)) continue;
      this.#rights[token] = right;
      return left;
    }
    throw new Error(`The token of rank ${token} cannot be merged from tokens of lower ranks.`);
  }
}

/** Cached answers for token pairs; a power of two. Long pieces mostly repeat a few pairs. */
const KEPT_PAIRS = 1 << 12;

function remembered(ask: NeighbourTest): NeighbourTest {
  const firsts = new Int32Array(KEPT_PAIRS).fill(NONE);
  const seconds = new Int32Array(KEPT_PAIRS);
  const answers = new Uint8Array(KEPT_PAIRS);
  return (first, second) => {
    const slot = pairHash(first, second) & (KEPT_PAIRS - 1);
    if (firsts[slot] !== first || seconds[slot] !== second) {
      firsts[slot] = first;
      seconds[slot] = second;
      answers[slot] = ask(first, second) ? 1 : 0;
    }
    return answers[slot] === 1;
  };
}

function pairHash(first: number, second: number): number {
  return (Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)) >>> 7;
}
