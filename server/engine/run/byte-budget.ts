import { EventEmitter, once } from 'node:events';
import { ServiceError } from '../../../core/errors.ts';

/** Limits the total bytes in flight: bodies from their arrival until they are answered, and documents of jobs. */
export interface ByteBudget {
  /** @throws ServiceError `too_much_in_flight` */
  take(bytes: number): void;
  giveBack(bytes: number): void;
  /**
   * Waits until there is room for a caller that already holds some bytes; there always is if it holds all of them.
   *
   * @throws ServiceError `too_much_in_flight` after this many seconds, as all callers may be waiting for each other
   * @throws once the signal aborts
   */
  room(own: number, seconds: number, signal: AbortSignal): Promise<void>;
  /** Takes bytes even if there is no room; for streams, which wait for room before they read more. */
  force(bytes: number): void;
  readonly taken: number;
}

/** Bytes of a body that is never refused: their total is bounded by the number of connections. */
const SMALL_BODY = 4096;

/** Seconds after which a refused client may retry. */
const RETRY_SECONDS = 1;

export function createByteBudget(limit: number): ByteBudget {
  let taken = 0;
  const freed = new EventEmitter().setMaxListeners(0);
  const fullError = (bytes: number) =>
    new ServiceError('too_much_in_flight', { bytes, limit, seconds: RETRY_SECONDS });
  return {
    async room(own, seconds, signal) {
      const isFull = () => taken >= limit && taken > own;
      if (!isFull()) return;
      const late = AbortSignal.timeout(seconds * 1000);
      const either = AbortSignal.any([signal, late]);
      while (isFull()) {
        await once(freed, 'freed', { signal: either }).catch((error: unknown) => {
          throw late.aborted && !signal.aborted ? fullError(taken) : error;
        });
      }
    },
    force(bytes) {
      taken += bytes;
    },
    take(bytes) {
      const wanted = taken + bytes;
      // A single body has its own limit; small ones are read while answers wait for clients that do not read them.
      if (wanted > limit && taken > 0 && bytes > SMALL_BODY) throw fullError(wanted);
      taken = wanted;
    },
    giveBack(bytes) {
      taken -= bytes;
      freed.emit('freed');
    },
    get taken() {
      return taken;
    },
  };
}

/** Accounts in the byte budget for what a stream has read and not answered. */
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

  /** @param bytes the total that the stream holds now */
  set(bytes: number): void {
    if (this.#isOver) return;
    if (bytes > this.#bytes) this.#budget.force(bytes - this.#bytes);
    else this.#budget.giveBack(this.#bytes - bytes);
    this.#bytes = bytes;
  }

  /** Gives back everything, for good. */
  end(): void {
    this.set(0);
    this.#isOver = true;
  }
}
