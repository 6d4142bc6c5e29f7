import { LineQueue } from '../engine/run/line-reader.ts';
import type { SourceDocument } from './shard.ts';
import { PieceReleaser } from './storage/buffer-release.ts';

/** Gives the documents of a source to the engine, and remembers where each stands. */
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

  /** Where the next documents stand whose chunks are there. What was in them is gone afterwards. */
  settle(count: number): SourceDocument[] {
    const settled = this.#sources.splice(0, count);
    for (const { document } of settled) this.#releaser.done(document);
    return settled;
  }

  /** Ends the reading of the source. One that has nothing to give now, and may have nothing for long, is not waited for. */
  async close(): Promise<void> {
    const closed = this.#batches.return?.();
    if (this.#isReading) closed?.catch(() => undefined);
    else await closed;
  }
}
