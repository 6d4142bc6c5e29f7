/** Milliseconds of work in a group below which the next may be larger, and above which it is to be smaller. */
const SHORT_MS = 10;
const LONG_MS = 40;
const MOST_LINES = 256;

/**
 * How many lines of a stream are worked on together. A group costs a message between threads, and its lines share a
 * deadline, so lines that are quick go together and lines that take long go alone.
 */
export class GroupSize {
  #lines = 1;

  get lines(): number {
    return this.#lines;
  }

  /** Learns from a group that was as large as it could be. */
  took(milliseconds: number): void {
    if (milliseconds < SHORT_MS) this.#lines = Math.min(MOST_LINES, this.#lines * 2);
    else if (milliseconds > LONG_MS) this.#lines = Math.max(1, this.#lines >> 1);
  }
}
