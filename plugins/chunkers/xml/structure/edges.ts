import { keepOptimised, type Outline, type TokenizedText } from '../../../../core/kit.ts';

/** Deeper elements share a rank, because packing makes one pass per rank. */
const MAX_DEPTH = 40;
const NO_RANK = -1;
export const NO_EDGE = -1;

/** The rank of a boundary between children. @param depth number of elements around the children */
export function siblingRank(depth: number): number {
  return 2 * Math.min(depth, MAX_DEPTH);
}

/** The rank between an opening tag or comment and the next child, and the rank before a closing tag. */
export function leadRank(depth: number): number {
  return siblingRank(depth) + 1;
}

function isLeadRank(rank: number): boolean {
  return rank % 2 === 1;
}

/** An element with boundaries in it, and the indices of the boundaries before and after it. */
export interface Parted {
  readonly start: number;
  readonly end: number;
  readonly before: number;
  after: number;
}

/** Boundaries between elements, in text order. At its end, an element may take back the boundaries in it. */
export class Edges {
  readonly #edges: number[] = [0];
  readonly #ranks: number[] = [0];
  /** For each boundary, the index of the previous boundary between children of the same element. */
  readonly #previous: number[] = [NO_EDGE];
  /** For each boundary, whether it is next to an element that contains boundaries. */
  readonly #isBeside: boolean[] = [false];
  readonly #parted: Parted[] = [];

  get length(): number {
    return this.#edges.length;
  }

  /**
   * @param previous index of the previous boundary between children of the same element
   * @param parted the element before the new boundary, if that element contains boundaries
   * @returns the index of the new boundary; `NO_EDGE` if the offset already has a boundary
   */
  add(offset: number, rank: number, previous: number, parted: Parted | undefined): number {
    if (offset <= (this.#edges.at(-1) as number)) return NO_EDGE;
    this.#previous.push(previous);
    this.#isBeside.push(parted !== undefined);
    this.#ranks.push(rank);
    const index = this.#edges.push(offset) - 1;
    if (parted !== undefined) parted.after = index;
    return index;
  }

  addParted(start: number, end: number, before: number): Parted {
    const parted = { start, end, before, after: NO_EDGE };
    this.#parted.push(parted);
    if (before !== NO_EDGE) this.#isBeside[before] = true;
    return parted;
  }

  isLead(index: number): boolean {
    return isLeadRank(this.#ranks[index] as number);
  }

  takeBackFrom(index: number): void {
    this.#edges.length = index;
    this.#ranks.length = index;
    this.#previous.length = index;
    this.#isBeside.length = index;
  }

  /** Takes back the boundaries between children, except next to children that contain boundaries. */
  takeBackInText(last: number): void {
    for (let index = last; index !== NO_EDGE; index = this.#previous[index] as number)
      if (!this.#isBeside[index]) this.#ranks[index] = NO_RANK;
  }

  /**
   * Gives the boundaries for chunks of at most `size` tokens. An element that fits may be cut from the opening tag or
   * comment before it, and from the closing tag after it. Its indentation and line end stay with it if they fit, too.
   */
  outline(length: number, size: number, tokens: TokenizedText): Outline {
    const count = countNear(size, length, tokens);
    const offsets = this.#edges.slice();
    const isNeeded = new Uint8Array(offsets.length);
    for (const parted of this.#parted) {
      const { start, end, before, after } = parted;
      const from = offsets[before] ?? 0;
      const to = offsets[after] ?? length;
      const elementTokens = count(start, end);
      if (elementTokens > size) continue;
      if (before !== NO_EDGE) isNeeded[before] = 1;
      if (after !== NO_EDGE) isNeeded[after] = 1;
      if (elementTokens + (start - from) + (to - end) <= size || count(from, to) <= size) continue;
      if (before !== NO_EDGE) offsets[before] = start;
      if (after !== NO_EDGE && count(start, to) > size) offsets[after] = end;
    }
    return this.#kept(offsets, isNeeded, length);
  }

  #kept(offsets: readonly number[], isNeeded: Uint8Array, length: number): Outline {
    const edges: number[] = [];
    const ranks: number[] = [];
    for (let index = 0; index < offsets.length; index++) {
      const rank = this.#ranks[index] as number;
      if (rank === NO_RANK || (isLeadRank(rank) && isNeeded[index] === 0)) continue;
      const offset = offsets[index] as number;
      if (offset <= (edges.at(-1) ?? -1) || offset >= length) continue;
      edges.push(offset);
      ranks.push(rank);
    }
    edges.push(length);
    ranks.push(0);
    return { edges, ranks };
  }
}

keepOptimised(new Edges());

/** Sample size for the estimate of tokens per character. */
const SAMPLE = 4096;
/** Stretches are counted exactly if their estimate is between these shares of the limit. */
const MIN_SHARE = 0.6;
const MAX_SHARE = 1.6;
/** Maximum nested stretches that are counted. Counting all would be quadratic. */
const MAX_NESTED = 8;

/** Creates a function that counts tokens exactly near the limit `size`, and otherwise returns an estimate. */
function countNear(size: number, length: number, tokens: TokenizedText) {
  const sample = Math.min(length, SAMPLE);
  const tokensPerUnit = tokens.count(0, sample) / sample;
  let countedStart = 0;
  let countedEnd = 0;
  let nested = 0;
  return (start: number, end: number): number => {
    const estimate = (end - start) * tokensPerUnit;
    if (estimate < MIN_SHARE * size || estimate > MAX_SHARE * size) return estimate;
    nested = start < countedEnd && end > countedStart ? nested + 1 : 0;
    if (nested > MAX_NESTED) return estimate;
    countedStart = start;
    countedEnd = end;
    return tokens.count(start, end);
  };
}
