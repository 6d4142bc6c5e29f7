import { ServiceError } from '../../core/errors.ts';
import type { Config } from '../config/config.ts';
import type { OnPart, Service } from '../service/service.ts';
import type { Task } from '../service/tasks.ts';
import { EventLoopScheduler } from './event-loop-scheduler.ts';
import { type Executor, STOP_GRACE } from './executor.ts';
import { PriorityQueue } from './priority-queue.ts';
import type { RunAnswer } from './run-answer.ts';
import { Threads } from './threads.ts';

/**
 * Runs tasks where they belong, small light ones on the event loop and the others in a worker thread, under
 * one policy: admission, deadline, cancellation and the time in the queue are handled here and nowhere else.
 */
export interface Runner {
  /**
   * Settles within `--request-timeout` and `ANSWER_GRACE`, wherever the task runs; work that is late is stopped
   * if it can be.
   *
   * @param body bytes of the request; they may be moved away and must not be used afterwards
   * @param stop when it aborts, the task is dropped from the queue or stopped; the deadline aborts it too
   * @param onPart has an evaluation answered in parts, see `Service.run`
   * Lines of a stream are never turned away: they wait for a thread, as a stream has only few at a time. What is stored in
   * a sink is neither turned away nor late: the sink says how long it waits for its database.
   *
   * @throws ServiceError `overloaded`, `timed_out`, the reason of `stop`, or what the executors throw
   */
  run(task: Task, body: Uint8Array, stop: AbortController, onPart?: OnPart): Promise<RunAnswer>;
  /** Whether a request whose body has so many bytes is turned away now. */
  isFullFor(bytes: number): boolean;
  /** To be called for each new connection: tasks on the event loop let others be accepted first. */
  yieldToAccepts(): void;
  /** How busy the runner is now. */
  load(): RunnerLoad;
  close(): Promise<void>;
}

export interface RunnerLoad {
  /** Tasks that wait. */
  readonly waiting: number;
  /** How many worker threads there are now. */
  readonly threads: number;
  /** Whether a task that arrives now is turned away, by one queue at least. */
  readonly isFull: boolean;
}

export interface RunnerOptions {
  readonly config: Pick<
    Config,
    'workers' | 'inlineBytes' | 'queueSize' | 'requestTimeout' | 'bulkConcurrency' | 'maxAnswerBytes'
  >;
  readonly service: Service;
  readonly inline: Executor;
  /** The worker threads; `undefined` if everything runs on the event loop. */
  readonly pool: Executor | undefined;
}

export function createRunner({ config, service, inline, pool }: RunnerOptions): Runner {
  const scheduler = new EventLoopScheduler(pool === undefined ? Number.POSITIVE_INFINITY : config.queueSize);
  const queue = new PriorityQueue({
    threads: config.workers,
    queueSize: config.queueSize,
    bulk: config.bulkConcurrency,
  });
  const { maxAnswerBytes } = config;
  const threads = pool === undefined ? undefined : new Threads({ pool, queue, maxAnswerBytes });
  const state: RunnerState = { config, service, inline, scheduler, threads };
  return {
    run: (task, body, stop, onPart) =>
      withDeadline(stop, task.run === 'store' ? undefined : config.requestTimeout, (signal) =>
        admit(state, { task, body }, signal, onPart),
      ),
    isFullFor: (bytes) => (isInline(state, bytes) ? scheduler.isFull : queue.isFull),
    yieldToAccepts: () => scheduler.yieldToAccepts(),
    load: () => ({
      waiting: queue.waiting + scheduler.waiting,
      threads: pool?.threads ?? 0,
      isFull: scheduler.isFull || (pool !== undefined && queue.isFull),
    }),
    async close() {
      await inline.close();
      await pool?.close();
    },
  };
}

/** What tasks run on, with the queues before it. */
interface RunnerState extends Pick<RunnerOptions, 'config' | 'service' | 'inline'> {
  readonly scheduler: EventLoopScheduler;
  readonly threads: Threads | undefined;
}

function isInline({ config, threads }: RunnerState, bytes: number): boolean {
  return threads === undefined || bytes <= config.inlineBytes;
}

/**
 * Waits until a task may run, and runs it. A body is parsed once: a small one here, to see whether the task is
 * light, any other in the worker thread.
 */
async function admit(
  state: RunnerState,
  { task, body }: { readonly task: Task; readonly body: Uint8Array },
  signal: AbortSignal,
  onPart: OnPart | undefined,
): Promise<RunAnswer> {
  const { scheduler, service, inline, threads } = state;
  const { length } = body;
  if (threads !== undefined) {
    const mayBeInline = task.run !== 'lines' && isInline(state, length) && service.mayBeLight(task);
    if (!mayBeInline) return threads.run(task, body, signal, onPart);
  }
  const begin = performance.now();
  await scheduler.enter(signal);
  const queueSeconds = secondsSince(begin);
  const execution = service.read(task, body);
  if (threads !== undefined && !service.isLight(execution)) {
    return threads.enter({ execution }, length, signal, { onPart });
  }
  return { ...(await inline.run({ execution }, signal, onPart)), queueSeconds };
}

function secondsSince(begin: number): number {
  return (performance.now() - begin) / 1000;
}

/**
 * Milliseconds after which the caller is answered without the work that was stopped: by then work that heeds its
 * signal has ended, and work that does not has lost its worker thread, if it ran in one.
 */
const ANSWER_GRACE = STOP_GRACE + 250;

/**
 * Runs work until it ends. After so many seconds, if any are given, it aborts `stop`, and rejects after `ANSWER_GRACE` even if the
 * work does not heed its signal. Whoever aborts `stop` itself waits for the work to end, or not at all.
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
