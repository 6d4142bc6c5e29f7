import { setImmediate } from 'node:timers';
import { ServiceError } from '../../../core/errors.ts';
import type { Config } from '../../config/config.ts';
import { unlessAborted } from '../abort.ts';
import type { Service } from '../service.ts';
import type { AnyRequest, ChunksTask, OnPart, Task } from '../tasks.ts';
import { type Executor, type RunAnswer, runWork, STOP_GRACE } from './executor.ts';
import { OVERLOADED, PriorityQueue, type Urgency } from './priority-queue.ts';
import { Throughput } from './stream.ts';
import { Threads } from './threads.ts';

/**
 * Runs tasks where they belong, small light ones on the event loop and the others in a worker thread, under one
 * policy: admission, deadline, cancellation and the time in the queue are handled here and nowhere else.
 */
export class Runner {
  readonly throughput = new Throughput();
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
    if (pool !== undefined) this.#threads = new Threads({ pool, queue, service, throughput, maxAnswerBytes });
  }

  /**
   * Settles within `--request-timeout` and `ANSWER_GRACE`, wherever the task runs; late work is stopped if possible.
   *
   * @param body bytes of the request; they may be transferred and must not be used afterwards
   * @param stop when it aborts, the task is removed from the queue or stopped; the deadline aborts it too
   * @throws ServiceError `overloaded`, `timed_out`, the reason of `stop`, or what the service or its thread throws
   */
  run(task: Task, body: Uint8Array, stop: AbortController, options: RunOptions = {}): Promise<RunAnswer> {
    const seconds = options.hasNoDeadline ? undefined : this.#config.requestTimeout;
    return withDeadline(stop, seconds, (signal) => this.#admit(task, body, signal, options));
  }

  /** Finds the inputs of a request, so that each can have a line in the answer. @throws ServiceError as `run` */
  divide(task: ChunksTask, body: Uint8Array, stop: AbortController): Promise<RunAnswer> {
    return withDeadline(stop, this.#config.requestTimeout, async (signal) => {
      const work = { task, body, divides: 'lines' } as const;
      if (this.#threads !== undefined && !this.#isInline(body.length))
        return this.#threads.enter(work, body.length, signal);
      const queueSeconds = await this.#scheduler.enter(signal);
      return { ...(await runWork(this.#service, work, signal)), queueSeconds };
    });
  }

  /** Whether a request with a body of this size would be rejected now. */
  isFullFor(bytes: number): boolean {
    return this.#isInline(bytes) ? this.#scheduler.isFull : this.#queue.isFull;
  }

  /** Call it for each new connection: tasks on the event loop then let other connections be accepted first. */
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
   * Waits until a task may run, and runs it. A body is parsed once: a small one here, to see whether the task is
   * light, any other in the worker thread.
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
  /** Requests an evaluation in parts, see `Service.run`. */
  readonly onPart?: OnPart;
  /** By default, work is rejected if the queue is full. Other work waits for a thread, however small it is. */
  readonly urgency?: Urgency;
  /** Whether it has no deadline: a sink has its own timeout for its database. */
  readonly hasNoDeadline?: boolean;
}

export interface RunnerLoad {
  readonly waiting: number;
  readonly threads: number;
  /** Whether a task arriving now would be rejected by at least one queue. */
  readonly isFull: boolean;
}

export interface RunnerOptions {
  readonly config: Config;
  readonly service: Service;
  /** The worker threads; `undefined` if everything runs on the event loop. */
  readonly pool: Executor | undefined;
}

/**
 * Milliseconds after which the caller is answered without waiting for stopped work: by then, work that obeys its
 * signal has ended, and other work has lost its worker thread, if it ran in one.
 */
const ANSWER_GRACE = STOP_GRACE + 250;

/**
 * Runs work until it ends. After the given seconds, if any, it aborts `stop`, and rejects after `ANSWER_GRACE` even
 * if the work ignores its signal. A caller that aborts `stop` itself waits for the work to end, or not at all.
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

/** Milliseconds after the first task of an event loop turn in which more may start in the same turn. */
const TURN_MS = 5;
/** Maximum consecutive turns without a task while tasks wait. */
const MAX_PASSED = 16;

/** Admits tasks to the event loop so that it serves other requests between them. */
export class EventLoopScheduler {
  readonly #queueSize: number;
  readonly #queue = new Set<() => void>();
  /** When the first task of this turn started; undefined if none has. */
  #began: number | undefined;
  #mayPass = false;
  /** Turns that have passed since the last task. */
  #passed = 0;

  /** @param queueSize maximum waiting tasks; one of them starts in each turn */
  constructor(queueSize: number) {
    this.#queueSize = queueSize;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Whether a task arriving now would be rejected. */
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
   * Skips the next turn, because a connection has come. Node accepts one connection per turn: if every turn were as
   * long as a task, connections would be accepted more slowly than clients open them, and `/health` would wait for
   * all of them.
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
