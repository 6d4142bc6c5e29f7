import { setTimeout as sleep } from 'node:timers/promises';
import { type Transferable, Worker } from 'node:worker_threads';
import { exposedError } from '../../../core/errors.ts';
import { hold } from '../../../core/hold.ts';

export interface GuardLimits {
  /**
   * Maximum bytes of the thread's heap, including garbage, and of its external buffers, which Node's own limits
   * ignore. Buffers that a message transfers are excluded. Garbage may briefly exceed the limit by a sixth.
   */
  readonly memory: number;
  /** Maximum milliseconds from the moment the thread begins with a message until its answer. */
  readonly time: number;
  /** Maximum milliseconds until the thread has started and begins with a message. Default one minute. */
  readonly start?: number;
}

export const BEGUN = 'begun';
const START = 60_000;

export class OverLimitError extends Error {}

export class OverTimeError extends OverLimitError {}

const MEGABYTE = 1_048_576;
const SILENT = { stdout: true, stderr: true };
/** Milliseconds between two checks of the memory. */
const LOOK = 20;
/** Milliseconds for which memory may exceed its limit, because V8 collects garbage late. */
const MAX_ABOVE = 250;
/** Multiple of the memory limit at which a thread is ended at once. */
const FAR_ABOVE = 7 / 6;
/** V8's heap limit, as a multiple of `memory`. Exceeding it may end the whole process: a last resort. */
const LAST_RESORT = 4;
/** Megabytes of the young generation; V8's default keeps much more garbage. */
const MAX_YOUNG = 16;

interface Asked<Answer> {
  begin(): void;
  answer(answer: Answer): void;
  fail(error: Error): void;
}

/**
 * A separate thread for code that reads untrusted files. It is ended when it exceeds its limits, and does not keep
 * an idle process alive. For each message, the thread posts `BEGUN` and then an answer.
 *
 * @typeParam Answer type of the answers
 */
export class GuardedThread<Answer> {
  readonly #limits: GuardLimits;
  readonly #worker: Worker;
  #end: Error | undefined;
  #asked: Asked<Answer> | undefined;

  constructor(entry: URL, limits: GuardLimits, workerData?: unknown) {
    this.#limits = limits;
    const resourceLimits = {
      maxOldGenerationSizeMb: Math.ceil((limits.memory * LAST_RESORT) / MEGABYTE),
      maxYoungGenerationSizeMb: MAX_YOUNG,
    };
    this.#worker = hold(new Worker(entry, { ...SILENT, resourceLimits, workerData }), (error) =>
      this.#stop(reasonOfEnd(error)),
    );
    this.#worker.once('exit', (code) => this.#stop(exposedError(`it ended its thread with status ${code}`)));
    this.#worker
      .on('message', (message: Answer | typeof BEGUN) => {
        if (message === BEGUN) this.#asked?.begin();
        else this.#asked?.answer(message);
      })
      .unref();
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /**
   * @param time milliseconds for this answer, if less than the general limit
   * @throws Error whose message completes "it cannot be read:"; an `OverLimitError` if the thread exceeded a
   *   limit. The thread has then ended
   */
  async ask(
    message: unknown,
    moved: readonly Transferable[] = [],
    time: number = this.#limits.time,
  ): Promise<Answer> {
    if (this.#end !== undefined) throw this.#end;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const done = new AbortController();
    let timer = this.#stopAfter(this.#limits.start ?? START, (seconds) =>
      exposedError(`it has not started within ${seconds} s`),
    );
    const begin = () => {
      clearTimeout(timer);
      timer = this.#stopAfter(
        Math.min(time, this.#limits.time),
        (seconds) => new OverTimeError(`it takes longer than ${seconds} s`),
      );
    };
    this.#asked = { begin, answer: resolve, fail: reject };
    this.#worker.ref();
    const given = moved.reduce((sum, one) => sum + (one instanceof ArrayBuffer ? one.byteLength : 0), 0);
    this.#worker.postMessage(message, moved);
    void this.#watchMemory(done.signal, given);
    try {
      return await promise;
    } finally {
      done.abort();
      clearTimeout(timer);
      this.#asked = undefined;
      this.#worker.unref();
    }
  }

  async close(): Promise<void> {
    this.#stop(new Error('it was closed'));
    await this.#worker.terminate();
  }

  async #watchMemory(done: AbortSignal, given: number): Promise<void> {
    const { memory } = this.#limits;
    let below = performance.now();
    while (await sleep(LOOK, true, { signal: done, ref: false }).catch(() => false)) {
      const { total_heap_size: heap = 0, external_memory: external = 0 } =
        (await this.#worker.getHeapStatistics().catch(() => undefined)) ?? {};
      const taken = heap + external - given;
      const now = performance.now();
      if (taken <= memory) below = now;
      if (taken > FAR_ABOVE * memory || now - below > MAX_ABOVE) this.#stop(new OverLimitError(TOO_MUCH));
    }
  }

  #stopAfter(time: number, why: (seconds: number) => Error): NodeJS.Timeout {
    return setTimeout(() => this.#stop(why(Math.round(time / 100) / 10)), time).unref();
  }

  #stop(why: Error): void {
    this.#end ??= why;
    this.#asked?.fail(this.#end);
    void this.#worker.terminate();
  }
}

const TOO_MUCH = 'it takes more memory than a file may';

function reasonOfEnd(error: Error & { readonly code?: string }): Error {
  return error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new OverLimitError(TOO_MUCH, { cause: error }) : error;
}
