import { setTimeout as sleep } from 'node:timers/promises';
import { type Transferable, Worker } from 'node:worker_threads';
import { exposedError } from '../../../core/errors.ts';
import { hold } from '../../../core/hold.ts';

/** Limits for code that reads untrusted files. */
export interface GuardLimits {
  /**
   * Bytes of the heap, with its garbage, and of buffers outside it, which no limit of Node counts, besides those that a
   * message moves there; for a moment, garbage may take a sixth more.
   */
  readonly memory: number;
  /** Milliseconds until an answer, from the moment at which the thread begins with the message. */
  readonly time: number;
  /** Milliseconds until it begins with a message: it starts, and loads what it needs. Default one minute. */
  readonly start?: number;
}

export const BEGUN = 'begun';
const START = 60_000;

export class OverLimitError extends Error {}

export class OverTimeError extends OverLimitError {}

const MEGABYTE = 1_048_576;
/** The output of parsers is for their authors, and stays unread. */
const SILENT = { stdout: true, stderr: true };
/** Milliseconds between two checks of the memory. */
const LOOK = 20;
/** Milliseconds for which memory may be above its limit, as V8 collects garbage only when it needs to. */
const MAX_ABOVE = 250;
/** Ends a thread at once whose memory is above this many limits. */
const FAR_ABOVE = 7 / 6;
/**
 * V8's own limit of the heap, in limits. It is the last resort: a thread that exceeds it by a single large allocation
 * takes the whole process with it.
 */
const LAST_RESORT = 4;
/** Megabytes for new values: V8 would fill many more with garbage before it collects. */
const MAX_YOUNG = 16;

interface Asked<Answer> {
  begin(): void;
  answer(answer: Answer): void;
  fail(error: Error): void;
}

/**
 * A separate thread for code that reads untrusted files; it is ended when it exceeds its limits. It posts `BEGUN` and
 * then an answer for one message after the other, and does not keep an idle process alive.
 *
 * @typeParam Answer what it posts back, once per message
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
   * @throws Error whose message completes "it cannot be read:", an `OverLimitError` if that is due to a limit; the
   *   thread is then gone
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
