import { keepOptimised, type Outline, type Span } from '../../../../core/kit.ts';

/** Everything nested deeper has the same ranks, because each rank costs the packing a pass. */
const MAX_DEPTH = 40;

/** The boundary was taken back. */
const NO_RANK = -1;
export const NO_EDGE = -1;

/** The rank between the children of an element with this many elements around them. */
export function siblingRank(depth: number): number {
  return 2 * Math.min(depth, MAX_DEPTH);
}

/**
 * The rank beside a child that is cut apart only if it does not fit otherwise: from the tag or comment that introduces
 * it, or from the tag that closes the element around it.
 */
export function leadRank(depth: number): number {
  return siblingRank(depth) + 1;
}

function isLeadRank(rank: number): boolean {
  return rank % 2 === 1;
}

/** The boundaries between elements, in the order of the text. Those of an element can be taken back when it ends. */
export class Edges {
  readonly #edges: number[] = [0];
  readonly #ranks: number[] = [0];
  /** For each boundary, the previous one between children of the same element. */
  readonly #previous: number[] = [NO_EDGE];
  /** For each boundary beside an element that has boundaries itself, this element. */
  readonly #beside: (Span | undefined)[] = [undefined];

  get length(): number {
    return this.#edges.length;
  }

  /**
   * @param previous index of the previous boundary between children of the same element
   * @param beside the element before it, if that has boundaries itself
   * @returns its index; `NO_EDGE` if there is one at this place already
   */
  add(offset: number, rank: number, previous: number, beside: Span | undefined): number {
    if (offset <= (this.#edges.at(-1) as number)) return NO_EDGE;
    this.#previous.push(previous);
    this.#beside.push(beside);
    this.#ranks.push(rank);
    return this.#edges.push(offset) - 1;
  }

  /** Takes back all boundaries from an index on. */
  takeBackFrom(index: number): void {
    this.#edges.length = index;
    this.#ranks.length = index;
    this.#previous.length = index;
    this.#beside.length = index;
  }

  isLead(index: number): boolean {
    return isLeadRank(this.#ranks[index] as number);
  }

  /** The element after a boundary has boundaries itself. */
  keepBeside(index: number, element: Span): void {
    this.#beside[index] = element;
  }

  /** Takes back the boundaries between children of one element, except those beside elements with boundaries. */
  takeBackInText(last: number): void {
    for (let index = last; index !== NO_EDGE; index = this.#previous[index] as number)
      if (this.#beside[index] === undefined) this.#ranks[index] = NO_RANK;
  }

  /**
   * The boundaries of a text of a length.
   *
   * @param fits whether an element fits into a chunk: only then it may be cut apart from what introduces or closes it
   */
  outline(length: number, fits: (element: Span) => boolean): Outline {
    const edges: number[] = [];
    const ranks: number[] = [];
    for (let index = 0; index < this.#edges.length; index++) {
      const rank = this.#ranks[index] as number;
      const beside = this.#beside[index];
      const isKept = !isLeadRank(rank) || (beside !== undefined && fits(beside));
      if (rank === NO_RANK || !isKept) continue;
      edges.push(this.#edges[index] as number);
      ranks.push(rank);
    }
    if (edges.at(-1) !== length) {
      edges.push(length);
      ranks.push(0);
    }
    return { edges, ranks };
  }
}

keepOptimised(new Edges());
