import { MODULE_ENDING } from '../../../config/module-ending.ts';
import { GuardedThread } from '../../../engine/run/guarded-thread.ts';
import type { LoadedGroup } from './row-group.ts';
import type { RowLines, RowsTask } from './row-lines.ts';
import type { ParquetAnswer, ParquetFile } from './worker.ts';

/** Bytes that a row group may take once it is decoded, and milliseconds that it may take until then. */
const LIMITS = { heap: 2_147_483_648, outside: 2_147_483_648, time: 120_000 };

/** Milliseconds for a row group that is small; a damaged one may be read for ever. */
const LEAST_TIME = 10_000;
/** Milliseconds for a byte and for a row, which would be slow on any machine. */
const SLOW = { byte: 1 / 1000, row: 1 / 20 };

/** The last one that was given back: to start a thread takes longer than to decode a small file. */
let idle: GuardedThread<ParquetAnswer> | undefined;

/** Reads files of Parquet in a thread that their contents cannot harm. */
export class ParquetThread {
  readonly #thread: GuardedThread<ParquetAnswer>;

  constructor() {
    this.#thread = idle ?? new GuardedThread(new URL(`./worker${MODULE_ENDING}`, import.meta.url), LIMITS);
    idle = undefined;
  }

  /** @param tail the bytes of the file from the beginning of its metadata on @throws Error if they are none */
  async open(tail: Uint8Array<ArrayBuffer>): Promise<ParquetFile> {
    const answer = await this.#ask({ open: tail }, [tail.buffer]);
    if ('metadata' in answer) return answer;
    throw new Error('the thread answers something else');
  }

  /** The lines of a row group; what is in memory of it is moved away. @throws Error if it is no valid Parquet */
  async *lines(task: RowsTask): AsyncGenerator<RowLines> {
    const moved = task.group.stretches.map(({ bytes }) => bytes.buffer);
    let answer = await this.#ask(task, moved, timeFor(task.group));
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

function timeFor({ stretches, metadata }: LoadedGroup): number {
  const bytes = stretches.reduce((sum, one) => sum + one.bytes.length, 0);
  return LEAST_TIME + bytes * SLOW.byte + Number(metadata.num_rows) * SLOW.row;
}
