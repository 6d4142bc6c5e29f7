import type { OnPart } from '../service/service.ts';
import type { ChunksTask, Task } from '../service/tasks.ts';
import type { Executor } from './executor.ts';
import { joinAnswers } from './join-answers.ts';
import { withLinkedStop } from './linked-stop.ts';
import type { Work } from './message.ts';
import { Pace } from './pace.ts';
import type { Patience, PriorityQueue } from './priority-queue.ts';
import type { RunAnswer } from './run-answer.ts';

export interface ThreadsOptions {
  readonly pool: Executor;
  readonly queue: PriorityQueue;
  /** Most bytes of an answer. */
  readonly maxAnswerBytes: number;
}

/** The worker threads with the queue before them. A batch that takes long is worked on by all that are idle. */
export class Threads {
  readonly #options: ThreadsOptions;
  readonly #pace = new Pace();

  constructor(options: ThreadsOptions) {
    this.#options = options;
  }

  /**
   * Runs a task.
   *
   * @param body bytes of the request; they may be moved away
   * @throws ServiceError `overloaded`, the signal's reason, or what the executor throws
   */
  async run(task: Task, body: Uint8Array, signal: AbortSignal, onPart?: OnPart): Promise<RunAnswer> {
    const { length } = body;
    if (!isChunksTask(task))
      return this.enter({ task, body }, length, signal, { patience: patienceOf(task), onPart });
    const parts = this.#partsFor(task, length);
    const answer = await (parts > 1
      ? this.#runInParts(task, body, parts, signal)
      : this.enter({ task, body }, length, signal));
    this.#pace.note(task, length, answer.timings);
    return answer;
  }

  /**
   * Waits for a thread, and has it do the work.
   *
   * @param bytes of the request
   */
  async enter(
    work: Work,
    bytes: number,
    signal: AbortSignal,
    { patience, onPart }: { readonly patience?: Patience; readonly onPart?: OnPart | undefined } = {},
  ): Promise<RunAnswer> {
    const { queue, pool } = this.#options;
    const begin = performance.now();
    const leave = await queue.enter(bytes, signal, patience);
    const queueSeconds = (performance.now() - begin) / 1000;
    try {
      return { ...(await pool.run(work, signal, onPart)), queueSeconds };
    } finally {
      leave();
    }
  }

  /** How many parts of a batch are worth their messages; one if it is not known how long its work takes. */
  #partsFor(task: ChunksTask, bytes: number): number {
    const { idle } = this.#options.queue;
    const seconds = this.#pace.expect(task, bytes);
    if (idle < 2 || seconds < bytes * SECONDS_PER_BYTE) return 1;
    return Math.min(idle * PARTS_PER_THREAD, Math.floor(seconds / PART_SECONDS));
  }

  /** Has one thread read and divide the batch, and then all of them work on the parts. One part that fails stops all. */
  async #runInParts(
    task: ChunksTask,
    body: Uint8Array,
    most: number,
    signal: AbortSignal,
  ): Promise<RunAnswer> {
    const first = await this.enter(
      { task: { run: 'divide', of: task, parts: most }, body },
      body.length,
      signal,
    );
    const { parts } = first;
    if (parts === undefined) return first;
    return withLinkedStop(signal, async (stop) => {
      const run = (part: Uint8Array) =>
        this.enter({ task, body: part }, part.length, stop.signal, { patience: 'patient' });
      try {
        return joinAnswers(first, await Promise.all(parts.map(run)), this.#options.maxAnswerBytes);
      } catch (error) {
        stop.abort(error);
        throw error;
      }
    });
  }
}

/** Least work of a part. */
const PART_SECONDS = 0.01;
/** Work that takes less for a byte than reading, dividing and joining does is not worth it. */
const SECONDS_PER_BYTE = 40e-9;
/** More than one, as some texts take longer than others of their size. */
const PARTS_PER_THREAD = 2;

function isChunksTask(task: Task): task is ChunksTask {
  return task.run === 'chunk' || task.run === 'refine' || task.run === 'execute';
}

function patienceOf(task: Task): Patience {
  if (task.run === 'store') return 'bulk';
  if (task.run !== 'lines') return 'none';
  return task.isBulk === true ? 'bulk' : 'patient';
}
