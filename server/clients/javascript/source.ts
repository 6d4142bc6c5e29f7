import type { Documents } from './inputs.ts';

/** The items that a stream sends, one by one. */
export class Source<T> {
  readonly #iterator: Iterator<T> | AsyncIterator<T>;
  /** How many were taken. */
  taken = 0;
  /** Whether there are no more. */
  isDone = false;
  /** What the caller's iteration threw. */
  failure: { readonly error: unknown } | undefined;

  readonly #signal: AbortSignal | undefined;

  /** @param signal ends the wait for the next one */
  constructor(items: Documents<T>, signal: AbortSignal | undefined) {
    this.#signal = signal;
    this.#iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  }

  /** The next one as a line of JSON; undefined at the end. */
  async line(): Promise<string | undefined> {
    try {
      const { done, value } = await unlessAborted(this.#iterator.next(), this.#signal);
      if (done === true) {
        this.isDone = true;
        return undefined;
      }
      this.taken++;
      return `${JSON.stringify(value)}\n`;
    } catch (error) {
      this.isDone = true;
      this.failure = { error };
      throw error;
    }
  }

  /** Tells the iteration to stop, without waiting for it. */
  end(): void {
    if (this.isDone) return;
    this.isDone = true;
    Promise.resolve(this.#iterator.return?.()).catch(() => undefined);
  }
}

/** A promise, or the reason of a signal if that comes first. */
async function unlessAborted<T>(promise: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
  });
  signal.addEventListener('abort', stop);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
