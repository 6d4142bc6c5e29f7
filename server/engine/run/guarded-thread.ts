import { setTimeout as sleep } from 'node:timers/promises';
import { type Transferable, Worker } from 'node:worker_threads';
import { hold } from '../../../core/hold.ts';

/** What code that reads files of anybody may take. */
export interface GuardLimits {
  /** Bytes of the heap. */
  readonly heap: number;
  /** Bytes outside of the heap, where the buffers are that no limit of Node counts. */
  readonly outside: number;
  /** Milliseconds until an answer. */
  readonly time: number;
}

const MEGABYTE = 1_048_576;
/** Milliseconds between two looks at the memory outside of the heap. */
const LOOK = 20;

/**
 * A thread of its own for code that reads files of anybody, which is ended when it takes more than its limits. It answers one
 * message after the other, and keeps no process alive while nobody asks.
 *
 * @typeParam Answer what it posts back, one for each message
 */
export class GuardedThread<Answer> {
  readonly #limits: GuardLimits;
  readonly #worker: Worker;
  /** Why it ended. */
  #end: Error | undefined;
  #settle: { answer(answer: Answer): void; fail(error: Error): void } | undefined;

  constructor(entry: URL, limits: GuardLimits) {
    this.#limits = limits;
    const resourceLimits = { maxOldGenerationSizeMb: Math.ceil(limits.heap / MEGABYTE) };
    const end = () => this.#stop(new Error(TOO_MUCH));
    this.#worker = hold(new Worker(entry, { resourceLimits }), end).once('exit', end);
    this.#worker.on('message', (answer: Answer) => this.#settle?.answer(answer)).unref();
  }

  /** Whether it can be asked no more. */
  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /**
   * @param time milliseconds until this answer, if they are fewer than those of all
   * @throws Error in words that end "it cannot be read:", and then the thread is over
   */
  async ask(
    message: unknown,
    moved: readonly Transferable[] = [],
    time: number = this.#limits.time,
  ): Promise<Answer> {
    if (this.#end !== undefined) throw this.#end;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#settle = { answer: resolve, fail: reject };
    const done = new AbortController();
    this.#worker.ref();
    this.#worker.postMessage(message, moved);
    void this.#guard(done.signal, Math.min(time, this.#limits.time));
    try {
      return await promise;
    } finally {
      done.abort();
      this.#settle = undefined;
      this.#worker.unref();
    }
  }

  async close(): Promise<void> {
    this.#stop(new Error('it was closed'));
    await this.#worker.terminate();
  }

  async #guard(done: AbortSignal, time: number): Promise<void> {
    const { outside } = this.#limits;
    const until = performance.now() + time;
    while (await sleep(LOOK, true, { signal: done, ref: false }).catch(() => false)) {
      const { external_memory = 0 } = (await this.#worker.getHeapStatistics().catch(() => undefined)) ?? {};
      if (external_memory > outside) this.#stop(new Error(TOO_MUCH));
      else if (performance.now() > until)
        this.#stop(new Error(`it takes longer than ${Math.round(time / 100) / 10} s`));
    }
  }

  #stop(why: Error): void {
    this.#end ??= why;
    this.#settle?.fail(this.#end);
    void this.#worker.terminate();
  }
}

const TOO_MUCH = 'it takes more memory than a file may';
