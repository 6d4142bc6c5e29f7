import { MODULE_ENDING } from '../../../config/module-ending.ts';
import { GuardedThread } from '../../../engine/run/guarded-thread.ts';
import type { FileWriter, WrittenFile } from '../../storage/storage.ts';
import type { ParquetBytes, ParquetTask } from './worker.ts';

/** Bytes of lines per row group, including the line in which they end. */
const ROW_GROUP = 16 * 1024 * 1024;
/** Memory limit of a row group. */
const LIMITS = { memory: 3_221_225_472, time: 120_000 };
const LINE_FEED = 0x0a;

/** The last thread that was returned. */
let idle: GuardedThread<ParquetBytes> | undefined;

/** Writes lines with a chunk each as Parquet; the row groups depend only on the lines. */
export class ParquetPart implements FileWriter {
  readonly #file: FileWriter;
  readonly #thread: GuardedThread<ParquetBytes>;
  #lines: Uint8Array[] = [];
  #size = 0;

  constructor(file: FileWriter) {
    this.#file = file;
    this.#thread = idle ?? new GuardedThread(new URL(`./worker${MODULE_ENDING}`, import.meta.url), LIMITS);
    idle = undefined;
  }

  async write(given: Uint8Array): Promise<void> {
    let rest = Buffer.from(given.buffer, given.byteOffset, given.length);
    for (;;) {
      const left = ROW_GROUP - this.#size;
      const end = rest.length < left ? -1 : rest.indexOf(LINE_FEED, Math.max(left - 1, 0));
      if (end === -1) break;
      this.#add(rest.subarray(0, end + 1));
      await this.#writeGroup();
      rest = rest.subarray(end + 1);
    }
    this.#add(rest);
  }

  async finish(): Promise<WrittenFile> {
    if (this.#size > 0) await this.#writeGroup();
    await this.#ask('finish');
    if (idle === undefined) idle = this.#thread;
    else await this.#thread.close();
    return this.#file.finish();
  }

  async discard(): Promise<void> {
    if (idle !== this.#thread) await this.#thread.close();
    await this.#file.discard();
  }

  #add(bytes: Uint8Array): void {
    this.#lines.push(bytes);
    this.#size += bytes.length;
  }

  async #writeGroup(): Promise<void> {
    const lines = Uint8Array.from(Buffer.concat(this.#lines));
    [this.#lines, this.#size] = [[], 0];
    await this.#ask({ lines }, [lines.buffer]);
  }

  async #ask(task: ParquetTask, moved: readonly ArrayBuffer[] = []): Promise<void> {
    const answer = await this.#thread.ask(task, moved);
    if ('problem' in answer) throw new Error(`the chunks cannot be written as Parquet: ${answer.problem}`);
    await this.#file.write(answer.bytes);
  }
}
