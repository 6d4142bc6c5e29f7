import type { Ranks } from '../vocabulary/ranks.ts';

/** Whether the concatenated bytes of two tokens merge to exactly these two. */
export type NeighbourTest = (first: number, second: number) => boolean;

const NONE = -1;
const UNKNOWN = -2;

/** Makes the test for a vocabulary, which throws an Error if a token cannot be merged from tokens of lower ranks. */
export function createNeighbourTest(ranks: Ranks): NeighbourTest {
  const history = new MergeHistory(ranks);
  const tokens = ranks.tokenStarts.length - 1;
  return remembered((first, second) => history.endWith(first, second, tokens));
}

/**
 * Finds the two tokens that a token is merged from, which tell what its neighbours can be. They are found when they are
 * needed: those of all tokens of a large vocabulary would take longer than most texts.
 */
class MergeHistory {
  readonly #ranks: Ranks;
  /** The two tokens that each token is merged from; `NONE` for a single byte. */
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
   * Whether the concatenated bytes of two tokens merge to these two by tokens of lower ranks than `most`. It undoes the
   * merges at their seam, the last one first: if the parts then adjacent at the seam make a token that would have been
   * merged earlier, the merge would have crossed the seam.
   */
  endWith(first: number, second: number, most: number): boolean {
    let left = first;
    let right = second;
    let limit = most;
    for (;;) {
      if (this.#mergeBelow(left, right, limit)) return false;
      const [isWhole, isOtherWhole] = [this.#leftOf(left) === NONE, this.#leftOf(right) === NONE];
      if (isWhole && isOtherWhole) return true;
      // If two merges have the same rank, the left one came first; so did one across the seam before one to its right.
      if (isOtherWhole || (!isWhole && left > right)) {
        limit = left;
        left = this.#rights[left] as number;
      } else {
        limit = right + 1;
        right = this.#lefts[right] as number;
      }
    }
  }

  /** Whether two tokens are merged to one of a lower rank than `limit`. */
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
    const found = new Int32Array(end - start);
    const count = this.#ranks.candidatesAt(tokenBytes, start, end - 1, found);
    for (const left of found.subarray(0, count)) {
      if (left >= token || !this.#ranks.isAt(left, tokenBytes, start)) continue;
      const right = this.#ranks.find(tokenBytes, start + this.#ranks.lengthOf(left), end);
      if (right < 0 || right >= token || !this.endWith(left, right, token)) continue;
      this.#rights[token] = right;
      return left;
    }
    throw new Error(`The token of rank ${token} cannot be merged from tokens of lower ranks.`);
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
