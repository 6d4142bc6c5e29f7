import type { SourceDocument } from '../../corpus/shard.ts';

/** The documents of a source that were read and are not answered yet, so that they can be sent again. */
export class UnansweredLines {
  readonly #batches: AsyncGenerator<readonly SourceDocument[]>;
  #unanswered: SourceDocument[] = [];

  constructor(batches: AsyncGenerator<readonly SourceDocument[]>) {
    this.#batches = batches;
  }

  /** Reads further documents; none at the end of the source. */
  async read(): Promise<readonly SourceDocument[]> {
    const { done, value } = await this.#batches.next();
    const lines = done ? [] : value;
    this.#unanswered.push(...lines);
    return lines;
  }

  /** All that are not answered, in their order. */
  get all(): readonly SourceDocument[] {
    return this.#unanswered;
  }

  /** Takes the next documents up to and with the first that can be sent; those before it cannot be read. */
  takeThroughSent(): SourceDocument[] {
    const place = this.#unanswered.findIndex(({ document }) => Buffer.isBuffer(document));
    return this.#unanswered.splice(0, place === -1 ? this.#unanswered.length : place + 1);
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined);
  }
}
