import { LineQueue } from '../engine/run/line-reader.ts';
import type { SourceDocument } from './shard.ts';
import { PieceReleaser } from './storage/buffer-release.ts';

/** Feeds the documents of a source to the engine, and remembers where each came from. */
export class SourceLines extends LineQueue {
  readonly #batches: AsyncIterator<readonly SourceDocument[]>;
  /** Those that wait, and those that were taken and are not settled. */
  readonly #sources: SourceDocument[] = [];
  readonly #releaser = new PieceReleaser();
  #isReading = false;

  constructor(batches: AsyncIterator<readonly SourceDocument[]>) {
    super();
    this.#batches = batches;
  }

  async read(): Promise<void> {
    this.#isReading = true;
    const { done, value } = await this.#batches.next().finally(() => {
      this.#isReading = false;
    });
    if (done) {
      this.isEnded = true;
      return;
    }
    for (const source of value) {
      this.add(source.document);
      this.#sources.push(source);
    }
  }

  /** Where the next documents with finished chunks came from. Their content is no longer valid afterwards. */
  settle(count: number): SourceDocument[] {
    const settled = this.#sources.splice(0, count);
    for (const { document } of settled) this.#releaser.done(document);
    return settled;
  }

  /** Stops reading the source, without waiting for a source that is silent. */
  async close(): Promise<void> {
    const closed = this.#batches.return?.();
    if (this.#isReading) closed?.catch(() => undefined);
    else await closed;
  }
}
