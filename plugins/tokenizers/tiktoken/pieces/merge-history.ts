import type { Ranks } from '../vocabulary/ranks.ts';

/** Whether the concatenated bytes of two tokens merge to exactly these two. */
export type NeighbourTest = (first: number, second: number) => boolean;

const NONE = -1;

/**
 * Finds for each token the two that it is merged from, which tell what its neighbours can be. It takes up to 150 ms and 4 MB for a large vocabulary.
 *
 * @throws Error if a token cannot be merged from tokens of lower ranks, as those of all known encodings can
 */
export function createNeighbourTest(ranks: Ranks): NeighbourTest {
  const { tokenStarts, tokenBytes } = ranks;
  const tokens = tokenStarts.length - 1;
  const merges = new Merges(tokens);
  const found = new Int32Array(ranks.longest);
  for (let token = 0; token < tokens; token += 1) {
    const start = tokenStarts[token] as number;
    const end = tokenStarts[token + 1] as number;
    if (end - start < 2) continue;
    const count = ranks.candidatesAt(tokenBytes, start, end - 1, found);
    if (!found.subarray(0, count).some((left) => addIfMerged(left, token, start, end)))
      throw new Error(`The token of rank ${token} cannot be merged from tokens of lower ranks.`);
  }
  return remembered((first, second) => merges.endWith(first, second));

  /** Adds a token if its merges begin with those of a token on its left. */
  function addIfMerged(left: number, token: number, start: number, end: number): boolean {
    if (left >= token || !ranks.isAt(left, tokenBytes, start)) return false;
    const right = ranks.find(tokenBytes, start + ranks.lengthOf(left), end);
    if (right < 0 || right >= token || !merges.endWith(left, right)) return false;
    merges.add(token, left, right);
    return true;
  }
}

/** The two tokens that each token is merged from. */
class Merges {
  readonly #lefts: Int32Array;
  readonly #rights: Int32Array;
  /** A hash table of the tokens, by the two that they are merged from. */
  readonly #slots: Int32Array;

  constructor(tokens: number) {
    this.#lefts = new Int32Array(tokens).fill(NONE);
    this.#rights = new Int32Array(tokens).fill(NONE);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * tokens))).fill(NONE);
  }

  add(token: number, left: number, right: number): void {
    this.#lefts[token] = left;
    this.#rights[token] = right;
    const mask = this.#slots.length - 1;
    let slot = pairHash(left, right) & mask;
    while (this.#slots[slot] !== NONE) slot = (slot + 1) & mask;
    this.#slots[slot] = token;
  }

  /**
   * Whether the concatenated bytes of two tokens merge to these two. It undoes the merges at their seam, the last one
   * first: if the parts then adjacent at the seam make a token that would have been merged earlier, the merge would
   * have crossed the seam.
   */
  endWith(first: number, second: number): boolean {
    const [lefts, rights] = [this.#lefts, this.#rights];
    let left = first;
    let right = second;
    let limit = lefts.length;
    for (;;) {
      const across = this.#find(left, right);
      if (across !== NONE && across < limit) return false;
      const [isWhole, isOtherWhole] = [rights[left] === NONE, lefts[right] === NONE];
      if (isWhole && isOtherWhole) return true;
      // If two merges have the same rank, the left one came first; so did one across the seam before one to its right.
      if (isOtherWhole || (!isWhole && left > right)) {
        limit = left;
        left = rights[left] as number;
      } else {
        limit = right + 1;
        right = lefts[right] as number;
      }
    }
  }

  #find(left: number, right: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = pairHash(left, right) & mask; ; slot = (slot + 1) & mask) {
      const token = this.#slots[slot] as number;
      if (token === NONE || (this.#lefts[token] === left && this.#rights[token] === right)) return token;
    }
  }
}

/** Pairs of tokens whose answer is cached; a power of two. */
const KEPT_PAIRS = 1 << 12;

/** Long pieces mostly repeat a few pairs. */
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
