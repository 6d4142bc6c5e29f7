import type { SourceDocument } from '../../../corpus/shard.ts';

/** The documents of a source that were read and are not answered yet, so that they can be sent again. */
export class UnansweredLines {
  readonly #batches: AsyncGenerator<readonly SourceDocument[]>;
  #unanswered: SourceDocument[] = [];
  #reading: Promise<readonly SourceDocument[]> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(batches: AsyncGenerator<readonly SourceDocument[]>) {
    this.#batches = batches;
  }

  /** Why the source cannot be read on, if that is so. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /**
   * Reads further documents; none at the end of the source. A stream that broke off while it was reading may still wait
   * for them: who reads meanwhile gets the same.
   *
   * @throws what the source throws
   */
  read(): Promise<readonly SourceDocument[]> {
    this.#reading ??= this.#next().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #next(): Promise<readonly SourceDocument[]> {
    try {
      const { done, value } = await this.#batches.next();
      if (done) return [];
      this.#unanswered.push(...value);
      return value;
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  /** All that are not answered now, in their order. */
  get all(): readonly SourceDocument[] {
    return [...this.#unanswered];
  }

  /** Takes the next documents up to and with the first that can be sent; those before it cannot be read. */
  takeThroughSent(): SourceDocument[] {
    const place = this.#unanswered.findIndex(({ document }) => Buffer.isBuffer(document));
    return this.#unanswered.splice(0, place === -1 ? this.#unanswered.length : place + 1);
  }

  /** Ends the reading of the source, which is not waited for if it has nothing to give now. */
  async close(): Promise<void> {
    const closed = this.#batches.return(undefined);
    if (this.#reading === undefined) await closed;
    else closed.catch(() => undefined);
  }
}
