import { keepOptimised, type Outline, type TokenizedText } from '../../../../core/kit.ts';

/** Deeper elements have the same ranks, because each rank costs the packing a pass. */
const MAX_DEPTH = 40;
/** The rank of a boundary that was taken back. */
const NO_RANK = -1;
export const NO_EDGE = -1;

/** The rank between the children of an element with this many elements around them. */
export function siblingRank(depth: number): number {
  return 2 * Math.min(depth, MAX_DEPTH);
}

/** The rank between a child and what introduces it, or the tag that closes the element around it. */
export function leadRank(depth: number): number {
  return siblingRank(depth) + 1;
}

function isLeadRank(rank: number): boolean {
  return rank % 2 === 1;
}

/** An element that has boundaries in it, with the indices of the boundaries before and after it. */
export interface Parted {
  readonly start: number;
  readonly end: number;
  readonly before: number;
  after: number;
}

/** The boundaries between elements, in the order of the text. When an element ends, its boundaries can be taken back. */
export class Edges {
  readonly #edges: number[] = [0];
  readonly #ranks: number[] = [0];
  /** For each boundary, the previous one between children of the same element. */
  readonly #previous: number[] = [NO_EDGE];
  /** Whether a boundary lies beside an element that has boundaries itself. */
  readonly #isBeside: boolean[] = [false];
  readonly #parted: Parted[] = [];

  get length(): number {
    return this.#edges.length;
  }

  /**
   * @param previous index of the previous boundary between children of the same element
   * @param parted the element before it, if that has boundaries itself
   * @returns its index; `NO_EDGE` if the offset has a boundary already
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

  /** Takes back all boundaries from an index on. */
  takeBackFrom(index: number): void {
    this.#edges.length = index;
    this.#ranks.length = index;
    this.#previous.length = index;
    this.#isBeside.length = index;
  }

  /** Takes back the boundaries between children of one element, except those beside elements with boundaries. */
  takeBackInText(last: number): void {
    for (let index = last; index !== NO_EDGE; index = this.#previous[index] as number)
      if (!this.#isBeside[index]) this.#ranks[index] = NO_RANK;
  }

  /**
   * The boundaries of a text, for chunks of at most `size` tokens. An element is cut apart from what introduces or
   * closes it only if it fits by itself, and from its indentation and line end only if it does not fit with them.
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

/** Characters from which the tokens per character are estimated. */
const SAMPLE = 4096;
/** Stretches are counted if their estimate is between these shares of the limit. */
const MIN_SHARE = 0.6;
const MAX_SHARE = 1.6;
/** Stretches within each other that are counted: counting all of them is quadratic. */
const MAX_NESTED = 8;

/** Creates a function that counts the tokens of elements: exactly near a limit, else by an estimate. */
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
