import { countToTake, type Line, type LineSource, sizeOf } from '../run/line-reader.ts';
import { PieceReleaser } from './pieces.ts';
import type { SourceDocument } from './shard.ts';

/** Gives the documents of a source to the engine, and remembers where each stands. */
export class SourceLines implements LineSource {
  readonly #batches: AsyncIterator<readonly SourceDocument[]>;
  readonly #lines: Line[] = [];
  /** Those that wait, and those that were taken and are not settled. */
  readonly #sources: SourceDocument[] = [];
  readonly #releaser = new PieceReleaser();
  #bytes = 0;
  #isOver = false;
  #isReading = false;

  constructor(batches: AsyncIterator<readonly SourceDocument[]>) {
    this.#batches = batches;
  }

  get waiting(): number {
    return this.#lines.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async read(): Promise<void> {
    this.#isReading = true;
    const { done, value } = await this.#batches.next().finally(() => {
      this.#isReading = false;
    });
    if (done) {
      this.#isOver = true;
      return;
    }
    for (const source of value) {
      this.#lines.push(source.document);
      this.#sources.push(source);
      this.#bytes += sizeOf(source.document);
    }
  }

  take(most: number, mostBytes: number): Line[] {
    const taken = this.#lines.splice(0, countToTake(this.#lines, most, mostBytes));
    for (const line of taken) this.#bytes -= sizeOf(line);
    return taken;
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
