import { keepOptimised } from '../../../../core/engine/keep-optimised.ts';
import { popLeast, push } from '../../../../core/engine/number-heap.ts';

const NONE = -1;
/** Most pairs that room is kept for. */
const MOST_KEPT = 1 << 13;

/**
 * Pairs of parts in the order in which they are merged: by rank, then by place. Those of one rank mostly come in the
 * order of their places; so each rank has a list, which takes constant time, and a heap takes those that come out of order.
 */
export class MergeQueue {
  /** The first and the last entry of each rank's list. */
  readonly #first: Int32Array;
  readonly #last: Int32Array;
  /** The ranks whose lists are not empty, as a heap. */
  readonly #ranks: Float64Array;
  #rankCount = 0;
  /** The place of each entry, and the entry behind it: of the same list, or of those that are free. */
  #places = new Int32Array(0);
  #next = new Int32Array(0);
  #free = NONE;
  #used = 0;
  /** Pairs that came out of order, as a heap of keys. */
  #others = new Float64Array(0);
  #otherCount = 0;
  #factor = 1;
  /** The pair that was taken last. */
  rank = NONE;
  place = 0;

  /** @param ranks how many there are */
  constructor(ranks: number) {
    this.#first = new Int32Array(ranks).fill(NONE);
    this.#last = new Int32Array(ranks);
    this.#ranks = new Float64Array(ranks);
  }

  /** Makes room in the empty queue for so many pairs at a time, of places below that. */
  prepare(most: number): void {
    if (most > this.#places.length) this.#makeRoom(most);
    this.#factor = most;
    this.#free = NONE;
    this.#used = 0;
  }

  /** Lets go of the room of the empty queue, if it is large. */
  release(): void {
    if (this.#places.length > MOST_KEPT) this.#makeRoom(0);
  }

  #makeRoom(most: number): void {
    this.#places = new Int32Array(most);
    this.#next = new Int32Array(most);
    this.#others = new Float64Array(most);
  }

  add(rank: number, place: number): void {
    const first = this.#first[rank] as number;
    const last = this.#last[rank] as number;
    if (first !== NONE && (this.#places[last] as number) > place) {
      push(this.#others, this.#otherCount++, rank * this.#factor + place);
      return;
    }
    const entry = this.#takeEntry();
    this.#places[entry] = place;
    this.#next[entry] = NONE;
    if (first === NONE) {
      this.#first[rank] = entry;
      push(this.#ranks, this.#rankCount++, rank);
    } else this.#next[last] = entry;
    this.#last[rank] = entry;
  }

  /** Takes the first pair out of the queue; false if there is none. */
  take(): boolean {
    const rank = this.#rankCount > 0 ? (this.#ranks[0] as number) : NONE;
    const entry = rank === NONE ? NONE : (this.#first[rank] as number);
    const place = entry === NONE ? 0 : (this.#places[entry] as number);
    if (this.#otherCount > 0) {
      const other = this.#others[0] as number;
      if (rank === NONE || other < rank * this.#factor + place) {
        popLeast(this.#others, this.#otherCount--);
        this.rank = Math.floor(other / this.#factor);
        this.place = other - this.rank * this.#factor;
        return true;
      }
    }
    if (rank === NONE) return false;
    const next = this.#next[entry] as number;
    this.#first[rank] = next;
    if (next === NONE) popLeast(this.#ranks, this.#rankCount--);
    this.#next[entry] = this.#free;
    this.#free = entry;
    this.rank = rank;
    this.place = place;
    return true;
  }

  #takeEntry(): number {
    if (this.#free === NONE) return this.#used++;
    const entry = this.#free;
    this.#free = this.#next[entry] as number;
    return entry;
  }
}

keepOptimised(new MergeQueue(0));
