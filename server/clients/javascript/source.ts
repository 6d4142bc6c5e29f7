import type { Documents } from './inputs.ts';

/** What a stream sends, one by one. */
export class Source<T> {
  readonly #iterator: Iterator<T> | AsyncIterator<T>;
  /** How many were taken. */
  taken = 0;
  /** Whether there are no more. */
  isDone = false;
  /** What the iteration of the caller threw. */
  failure: { readonly error: unknown } | undefined;

  constructor(items: Documents<T>) {
    this.#iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  }

  /** The next one as a line of JSON; undefined at the end. */
  async line(): Promise<string | undefined> {
    try {
      const { done, value } = await this.#iterator.next();
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

  /** Tells the iteration that no more is wanted, and does not wait for it. */
  end(): void {
    if (this.isDone) return;
    this.isDone = true;
    Promise.resolve(this.#iterator.return?.()).catch(() => undefined);
  }
}
