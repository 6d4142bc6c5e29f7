import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { hold } from '../../../../core/hold.ts';
import { MODULE_ENDING } from '../../../module-ending.ts';
import type { RowLines, RowsTask } from './row-lines.ts';
import type { RowsAnswer } from './row-worker.ts';

/** Decodes row groups in a thread of its own, as that takes a second for a large one. */
export class RowThread {
  #worker: Worker | undefined;
  readonly #ended = new AbortController();

  /**
   * The lines of a row group; what is in memory of it is moved away.
   *
   * @throws Error if it is no valid Parquet, or the thread ends
   */
  async *lines(task: RowsTask): AsyncGenerator<RowLines> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const moved = task.group.stretches.map(({ bytes }) => bytes.buffer);
    let answer = await this.#answerTo(worker, () => worker.postMessage(task, moved));
    while ('lines' in answer) {
      yield answer.lines;
      answer = await this.#answerTo(worker, () => worker.postMessage('more'));
    }
    if ('problem' in answer) throw new Error(answer.problem);
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const end = () => this.#ended.abort(new Error('it takes more memory than there is'));
    // Also between two questions, when nobody waits for an answer.
    return hold(new Worker(new URL(`./row-worker${MODULE_ENDING}`, import.meta.url)), end).once('exit', end);
  }

  async #answerTo(worker: Worker, ask: () => void): Promise<RowsAnswer> {
    const answered = once(worker, 'message', { signal: this.#ended.signal });
    ask();
    const [answer] = (await answered.catch((error: unknown) => {
      throw this.#ended.signal.reason ?? error;
    })) as [RowsAnswer];
    return answer;
  }
}
