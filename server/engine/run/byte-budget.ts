import { EventEmitter, once } from 'node:events';
import { ServiceError } from '../../../core/errors.ts';

/** Bodies up to this size in bytes are never refused: the number of connections bounds their total. */
const SMALL_BODY = 4096;

const RETRY_SECONDS = 1;

/** Limits the total bytes in flight: bodies from arrival to answer, and documents of jobs. */
export class ByteBudget {
  readonly #limit: number;
  readonly #freed = new EventEmitter().setMaxListeners(0);
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get taken(): number {
    return this.#taken;
  }

  /** @throws ServiceError `too_much_in_flight` */
  take(bytes: number): void {
    const wanted = this.#taken + bytes;
    // The only body in flight is never refused. Small bodies pass even while slow clients hold the budget.
    if (wanted > this.#limit && this.#taken > 0 && bytes > SMALL_BODY) throw this.#fullError(wanted);
    this.#taken = wanted;
  }

  /** Takes bytes even beyond the limit. Streams use this method, and wait for room before they read more. */
  force(bytes: number): void {
    this.#taken += bytes;
  }

  giveBack(bytes: number): void {
    this.#taken -= bytes;
    this.#freed.emit('freed');
  }

  /**
   * Waits for room. A caller whose own bytes are all the bytes in flight does not wait.
   *
   * @param seconds timeout, because all callers may be waiting for each other
   * @throws ServiceError `too_much_in_flight` after the timeout
   * @throws once the signal aborts
   */
  async room(own: number, seconds: number, signal: AbortSignal): Promise<void> {
    if (!this.isFull(own)) return;
    const late = AbortSignal.timeout(seconds * 1000);
    const either = AbortSignal.any([signal, late]);
    while (this.isFull(own)) {
      await once(this.#freed, 'freed', { signal: either }).catch((error: unknown) => {
        throw late.aborted && !signal.aborted ? this.#fullError(this.#taken) : error;
      });
    }
  }

  /** Whether a caller that holds `own` bytes should wait for room. */
  isFull(own: number): boolean {
    return this.#taken >= this.#limit && this.#taken > own;
  }

  #fullError(bytes: number): ServiceError {
    return new ServiceError('too_much_in_flight', { bytes, limit: this.#limit, seconds: RETRY_SECONDS });
  }
}

/** Takes from the byte budget the bytes that a stream has read but not yet answered. */
export class HeldBytes {
  readonly #budget: ByteBudget;
  readonly #timeout: number;
  readonly #signal: AbortSignal;
  #bytes = 0;
  #isOver = false;

  constructor(budget: ByteBudget, timeout: number, signal: AbortSignal) {
    this.#budget = budget;
    this.#timeout = timeout;
    this.#signal = signal;
  }

  room(): Promise<void> {
    return this.#budget.room(this.#bytes, this.#timeout, this.#signal);
  }

  set(bytes: number): void {
    if (this.#isOver) return;
    if (bytes > this.#bytes) this.#budget.force(bytes - this.#bytes);
    else this.#budget.giveBack(this.#bytes - bytes);
    this.#bytes = bytes;
  }

  end(): void {
    this.set(0);
    this.#isOver = true;
  }
}
