import type { Ranks } from '../vocabulary/ranks.ts';

/** How each token of a vocabulary is merged from bytes. */
export interface MergeHistory {
  /** Whether the merges of the bytes of two tokens, one behind the other, end with just these two. */
  areNeighbours(first: number, second: number): boolean;
}

const NONE = -1;

/**
 * Finds for each token the two that it is merged from. It takes about 100 ms and 5 MB for a large vocabulary.
 *
 * @throws Error if a token cannot be merged from tokens of lower ranks, as those of all known encodings can
 */
export function createMergeHistory(ranks: Ranks): MergeHistory {
  const tokens = ranks.tokenStarts.length - 1;
  const lefts = new Int32Array(tokens).fill(NONE);
  const rights = new Int32Array(tokens).fill(NONE);
  const merged = createPairTable(lefts, rights);

  /**
   * Takes back the merges at the seam of two tokens, the last one first. If what then stands at the seam makes a token
   * whose turn came before that merge, it would have been merged instead, across the seam.
   */
  function areNeighbours(first: number, second: number): boolean {
    let left = first;
    let right = second;
    let limit = tokens;
    for (;;) {
      const across = merged.find(left, right);
      if (across !== NONE && across < limit) return false;
      // Of two merges of one rank the left one came first; so did one across the seam before one to its right.
      if (left > right && rights[left] !== NONE) {
        limit = left;
        left = rights[left] as number;
      } else if (lefts[right] !== NONE) {
        limit = right + 1;
        right = lefts[right] as number;
      } else if (rights[left] !== NONE) {
        limit = left;
        left = rights[left] as number;
      } else return true;
    }
  }

  const found = new Int32Array(ranks.longest);
  for (let token = 0; token < tokens; token += 1) {
    const start = ranks.tokenStarts[token] as number;
    const end = ranks.tokenStarts[token + 1] as number;
    if (end - start < 2) continue;
    const left = findLeft(token, start, end);
    merged.add(token, left, ranks.find(ranks.tokenBytes, start + lengthOf(ranks, left), end));
  }
  return { areNeighbours: remembered(areNeighbours) };

  /** The left one of the two tokens that the merges of lower ranks make of a token's bytes. */
  function findLeft(token: number, start: number, end: number): number {
    const count = ranks.findAt(ranks.tokenBytes, start, end - 1, found);
    for (let index = count - 1; index >= 0; index -= 1) {
      const left = found[index] as number;
      const right = ranks.find(ranks.tokenBytes, start + lengthOf(ranks, left), end);
      if (left < token && right >= 0 && right < token && areNeighbours(left, right)) return left;
    }
    throw new Error(`The token of rank ${token} cannot be merged from tokens of lower ranks.`);
  }
}

export function lengthOf({ tokenStarts }: Ranks, token: number): number {
  return (tokenStarts[token + 1] as number) - (tokenStarts[token] as number);
}

/** Pairs of tokens whose answer is kept; a power of two. */
const KEPT_PAIRS = 1 << 12;

/** Long pieces mostly repeat a few pairs. */
function remembered(ask: (first: number, second: number) => boolean) {
  const firsts = new Int32Array(KEPT_PAIRS).fill(NONE);
  const seconds = new Int32Array(KEPT_PAIRS);
  const answers = new Uint8Array(KEPT_PAIRS);
  return (first: number, second: number): boolean => {
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

/** Finds the token that two tokens are merged to; `NONE` if there is none. */
function createPairTable(lefts: Int32Array, rights: Int32Array) {
  const mask = 2 ** Math.ceil(Math.log2(2 * lefts.length)) - 1;
  const slots = new Int32Array(mask + 1).fill(NONE);
  return {
    find(left: number, right: number): number {
      for (let slot = pairHash(left, right) & mask; ; slot = (slot + 1) & mask) {
        const token = slots[slot] as number;
        if (token === NONE || (lefts[token] === left && rights[token] === right)) return token;
      }
    },
    add(token: number, left: number, right: number): void {
      lefts[token] = left;
      rights[token] = right;
      let slot = pairHash(left, right) & mask;
      while (slots[slot] !== NONE) slot = (slot + 1) & mask;
      slots[slot] = token;
    },
  };
}
