import { MODULE_ENDING } from '../../../config/module-ending.ts';
import { GuardedThread } from '../../../engine/run/guarded-thread.ts';
import type { ParquetAnswer, ParquetFile, RowLines, RowsTask } from './worker.ts';

/** Maximum bytes of a decoded row group, and maximum milliseconds to decode it. */
const LIMITS = { memory: 3_221_225_472, time: 120_000 };

/** Milliseconds for a small row group; a damaged one may never end. */
const MIN_TIME = 10_000;
/** Milliseconds per byte and per row, generous for any machine. */
const SLOW = { byte: 1 / 1000, row: 1 / 20 };

/** The last thread that was returned: starting a thread takes longer than decoding a small file. */
let idle: GuardedThread<ParquetAnswer> | undefined;

/** Reads Parquet files in a thread, isolated from their content. */
export class ParquetThread {
  readonly #thread: GuardedThread<ParquetAnswer>;

  constructor() {
    this.#thread = idle ?? new GuardedThread(new URL(`./worker${MODULE_ENDING}`, import.meta.url), LIMITS);
    idle = undefined;
  }

  /** @param tail the bytes of the file from the beginning of its metadata on @throws Error if they are invalid */
  async open(tail: Uint8Array<ArrayBuffer>): Promise<ParquetFile> {
    const answer = await this.#ask({ open: tail }, [tail.buffer]);
    if ('metadata' in answer) return answer;
    throw new Error('the thread gave an unexpected answer');
  }

  /** The lines of a row group; its memory is transferred. @throws Error if it is not valid Parquet */
  async *lines(task: RowsTask): AsyncGenerator<RowLines> {
    const moved = task.stretches.map(({ bytes }) => bytes.buffer);
    let answer = await this.#ask(task, moved, timeFor(task));
    while ('lines' in answer) {
      yield answer.lines;
      answer = await this.#ask('more');
    }
  }

  async close(): Promise<void> {
    if (this.#thread.isOver || idle !== undefined) await this.#thread.close();
    else idle = this.#thread;
  }

  async #ask(
    message: unknown,
    moved: readonly ArrayBuffer[] = [],
    time: number = LIMITS.time,
  ): Promise<ParquetAnswer> {
    const answer = await this.#thread.ask(message, moved, time);
    if ('problem' in answer) throw new Error(answer.problem);
    return answer;
  }
}

function timeFor({ stretches, metadata }: RowsTask): number {
  const bytes = stretches.reduce((sum, one) => sum + one.bytes.length, 0);
  return MIN_TIME + bytes * SLOW.byte + Number(metadata.num_rows) * SLOW.row;
}
