import type { ByteBudget } from './byte-budget.ts';

/** Keeps the byte budget up to date with what a stream has read and not answered. */
export class HeldBytes {
  readonly #budget: ByteBudget;
  readonly #patience: number;
  readonly #signal: AbortSignal;
  #bytes = 0;
  #isOver = false;

  /** @param patience seconds that it waits for room */
  constructor(budget: ByteBudget, patience: number, signal: AbortSignal) {
    this.#budget = budget;
    this.#patience = patience;
    this.#signal = signal;
  }

  /** Waits until more may be read, see `ByteBudget.room`. */
  room(): Promise<void> {
    return this.#budget.room(this.#bytes, this.#patience, this.#signal);
  }

  /** @param bytes all that the stream holds now */
  set(bytes: number): void {
    if (this.#isOver) return;
    if (bytes > this.#bytes) this.#budget.force(bytes - this.#bytes);
    else this.#budget.giveBack(this.#bytes - bytes);
    this.#bytes = bytes;
  }

  /** Gives back what is held, for good. */
  end(): void {
    this.set(0);
    this.#isOver = true;
  }
}
