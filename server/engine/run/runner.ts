import { setImmediate } from 'node:timers';
import { ServiceError } from '../../../core/errors.ts';
import type { Config } from '../../config/config.ts';
import { unlessAborted } from '../abort.ts';
import type { Service } from '../service.ts';
import type { AnyRequest, ChunksTask, OnPart, Task } from '../tasks.ts';
import { BulkThreads } from './bulk-threads.ts';
import { type Executor, type RunAnswer, runWork, STOP_GRACE } from './executor.ts';
import { OVERLOADED, PriorityQueue, type Urgency } from './priority-queue.ts';
import { Throughput } from './stream.ts';
import { Threads } from './threads.ts';

/**
 * Runs small light tasks on the event loop, and all other tasks in worker threads. No other code handles
 * admission, deadlines, cancellation and the time in the queue.
 */
export class Runner {
  readonly throughput = new Throughput();
  /** Runs tasks that read and write by themselves; `undefined` if everything runs on the event loop. */
  readonly bulk: BulkThreads | undefined;
  readonly #config: RunnerOptions['config'];
  readonly #service: Service;
  readonly #pool: Executor | undefined;
  readonly #scheduler: EventLoopScheduler;
  readonly #queue: PriorityQueue;
  readonly #threads: Threads | undefined;

  constructor({ config, service, pool }: RunnerOptions) {
    const { workers, queueSize, bulkConcurrency, maxAnswerBytes } = config;
    const { throughput } = this;
    this.#config = config;
    this.#service = service;
    this.#pool = pool;
    this.#scheduler = new EventLoopScheduler(pool === undefined ? Number.POSITIVE_INFINITY : queueSize);
    const queue = new PriorityQueue({ threads: workers, queueSize, bulk: bulkConcurrency });
    this.#queue = queue;
    if (pool === undefined) return;
    this.#threads = new Threads({ pool, queue, service, throughput, maxAnswerBytes });
    this.bulk = new BulkThreads({ pool, queue, groupSeconds: config.requestTimeout });
  }

  /**
   * Runs a task, and settles within `--request-timeout` plus `ANSWER_GRACE`. Late work is stopped if possible.
   *
   * @param body bytes of the request; they may be transferred and must not be used afterwards
   * @param stop its abort cancels the task; the deadline aborts it too
   * @throws ServiceError `overloaded`, `timed_out`, the reason of `stop`, or errors of the service and its threads
   */
  run(task: Task, body: Uint8Array, stop: AbortController, options: RunOptions = {}): Promise<RunAnswer> {
    const seconds = options.hasNoDeadline ? undefined : this.#config.requestTimeout;
    return withDeadline(stop, seconds, (signal) => this.#admit(task, body, signal, options));
  }

  /** Finds the inputs of a request that is answered with one line per input. @throws ServiceError as `run` */
  divide(task: ChunksTask, body: Uint8Array, stop: AbortController): Promise<RunAnswer> {
    return withDeadline(stop, this.#config.requestTimeout, async (signal) => {
      const work = { task, body, divides: 'lines' } as const;
      if (this.#threads !== undefined && !this.#isInline(body.length))
        return this.#threads.enter(work, body.length, signal);
      const queueSeconds = await this.#scheduler.enter(signal);
      return { ...(await runWork(this.#service, work, signal)), queueSeconds };
    });
  }

  isFullFor(bytes: number): boolean {
    return this.#isInline(bytes) ? this.#scheduler.isFull : this.#queue.isFull;
  }

  /** Delays tasks on the event loop until a new connection is accepted. Call it for each connection. */
  yieldToAccepts(): void {
    this.#scheduler.yieldToAccepts();
  }

  load(): RunnerLoad {
    return {
      waiting: this.#queue.waiting + this.#scheduler.waiting,
      threads: this.#pool?.threads ?? 0,
      isFull: this.#scheduler.isFull || (this.#pool !== undefined && this.#queue.isFull),
    };
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }

  #isInline(bytes: number): boolean {
    return this.#threads === undefined || bytes <= this.#config.inlineBytes;
  }

  /**
   * Waits until a task may run, and runs it. A small body is parsed here, to see whether the task is light. A
   * larger body is parsed in the worker thread.
   */
  async #admit(
    task: Task,
    body: Uint8Array,
    signal: AbortSignal,
    { onPart, urgency }: RunOptions,
  ): Promise<RunAnswer> {
    const { length } = body;
    const service = this.#service;
    const threads = this.#threads;
    if (threads !== undefined) {
      const mayBeInline = urgency === undefined && this.#isInline(length) && service.mayBeLight(task);
      if (!mayBeInline) return threads.run(task, body, signal, { onPart, urgency });
    }
    const queueSeconds = await this.#scheduler.enter(signal);
    let request: AnyRequest;
    try {
      request = service.read(task, body);
    } catch (error) {
      throw await service.withUnknownNames(error);
    }
    if (threads !== undefined && !service.isLight(request)) {
      return threads.enter({ request }, length, signal, { onPart });
    }
    return { ...(await service.run(request, signal, onPart)), queueSeconds };
  }
}

export interface RunOptions {
  readonly onPart?: OnPart;
  /** Urgent work, the default, is rejected if the queue is full. Work of other urgency always waits for a thread. */
  readonly urgency?: Urgency;
  /** Whether the task has no deadline. A sink, for example, has its own timeout for its database. */
  readonly hasNoDeadline?: boolean;
}

export interface RunnerLoad {
  readonly waiting: number;
  readonly threads: number;
  readonly isFull: boolean;
}

export interface RunnerOptions {
  readonly config: Config;
  readonly service: Service;
  /** The worker threads; `undefined` if everything runs on the event loop. */
  readonly pool: Executor | undefined;
}

/**
 * Milliseconds after the abort until the caller is answered without waiting for stopped work. By then, the work
 * has ended or lost its worker thread, unless it runs on the event loop and ignores its signal.
 */
const ANSWER_GRACE = STOP_GRACE + 250;

/**
 * Runs work with an optional deadline. At the deadline, it aborts `stop`. `ANSWER_GRACE` later, it rejects even
 * if the work continues. Callers that abort `stop` themselves decide whether to wait for the work.
 */
function withDeadline<T>(
  stop: AbortController,
  seconds: number | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal } = stop;
  return new Promise((resolve, reject) => {
    const fail = (error?: unknown) => reject(signal.aborted ? signal.reason : error);
    const giveUp = (timeout: number) => {
      stop.abort(new ServiceError('timed_out', { timeout }));
      setTimeout(fail, ANSWER_GRACE).unref();
    };
    const deadline = seconds === undefined ? undefined : setTimeout(giveUp, seconds * 1000, seconds);
    run(signal)
      .then(resolve, fail)
      .finally(() => clearTimeout(deadline));
  });
}

/** Milliseconds after the first task of an event-loop turn during which more tasks may start in the same turn. */
const TURN_MS = 5;
/** Maximum consecutive turns in which no task starts although tasks wait. */
const MAX_PASSED = 16;

/** Admits tasks to the event loop so that it serves other requests between them. */
export class EventLoopScheduler {
  readonly #queueSize: number;
  readonly #queue = new Set<() => void>();
  #began: number | undefined;
  #mayPass = false;
  #passed = 0;

  /** @param queueSize maximum waiting tasks; one of them starts in each turn */
  constructor(queueSize: number) {
    this.#queueSize = queueSize;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  get isFull(): boolean {
    return !this.#hasRoom() && this.#queue.size >= this.#queueSize;
  }

  /**
   * Waits until a task may run.
   *
   * @returns the seconds that it waited
   * @throws ServiceError `overloaded` at once if the queue is full
   * @throws the signal's reason once it aborts
   */
  async enter(signal: AbortSignal): Promise<number> {
    signal.throwIfAborted();
    if (this.#hasRoom()) {
      if (this.#began === undefined) this.#beginTurn();
      return 0;
    }
    if (this.#queue.size >= this.#queueSize) throw OVERLOADED;
    const begin = performance.now();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#queue.add(resolve);
    try {
      await unlessAborted(promise, signal);
    } finally {
      this.#queue.delete(resolve);
    }
    return (performance.now() - begin) / 1000;
  }

  /**
   * Skips the next turn, because a connection has arrived. Node accepts only one connection per turn. Without
   * skips, a long queue of connections would delay `/health`.
   */
  yieldToAccepts(): void {
    this.#mayPass = true;
  }

  #hasRoom(): boolean {
    if (this.#began === undefined) return true;
    return this.#queue.size === 0 && performance.now() - this.#began < TURN_MS;
  }

  #beginTurn(): void {
    this.#began = performance.now();
    setImmediate(this.#endTurn);
  }

  readonly #endTurn = (): void => {
    const [next] = this.#queue;
    if (next === undefined) {
      this.#began = undefined;
      return;
    }
    const passes = this.#mayPass && this.#passed < MAX_PASSED;
    this.#mayPass = false;
    if (passes) {
      this.#passed++;
      setImmediate(this.#endTurn);
      return;
    }
    this.#passed = 0;
    this.#beginTurn();
    this.#queue.delete(next);
    next();
  };
}
