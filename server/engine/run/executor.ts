import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { PluginId } from '../../../core/contracts/manifest.ts';
import type { PlainError } from '../../../core/errors.ts';
import type { Registry } from '../../../core/hosting/registry.ts';
import type { Config } from '../../config/config.ts';
import { emptyAnswer } from '../answer/response-metadata.ts';
import type { Service } from '../service.ts';
import type { Answer, AnyRequest, ChunksTask, OnPart, Task } from '../tasks.ts';

export type Work =
  | { readonly task: Task; readonly body: Uint8Array }
  | DivideWork
  | { readonly request: AnyRequest };

/**
 * A request to divide into its inputs: for one line of the answer each (`lines`), or for processing groups of
 * them in parallel (`lists`). A request that cannot be divided, or that has a single list, is run as a whole.
 */
export interface DivideWork {
  readonly task: ChunksTask;
  readonly body: Uint8Array;
  readonly divides: 'lines' | 'lists';
}

/** An answer, and the seconds that its work waited in the queue. */
export interface RunAnswer extends Answer {
  readonly queueSeconds: number;
}

/** Runs work in worker threads, without a deadline or a queue. Callers admit the work first. */
export interface Executor {
  /**
   * @param signal stops the work when it aborts
   * @param onPart requests the answer in parts, see `Service.run`; not called after the work has ended
   * @throws ServiceError errors of the service; for lost threads `out_of_memory`, `worker_lost`
   */
  run(work: Work, signal: AbortSignal, onPart?: OnPart): Promise<Answer>;
  /**
   * Runs a task that reads its input and writes its output itself.
   *
   * @param task plain data
   * @param channel the thread's end of the channel to the caller; it is transferred
   * @throws the same errors as `run`
   */
  runBulk(task: object, signal: AbortSignal, channel: BulkEnd): Promise<void>;
  /** Starts a thread before the first request. Resolves when the thread has started or failed to start. */
  startThread(): Promise<void>;
  /** Starts as many threads as there may be tasks, and does not wait for them. */
  startThreads(): void;
  readonly threads: number;
  close(): Promise<void>;
}

/** Milliseconds that work has to stop by itself after its signal aborts. Afterwards, its worker thread is ended. */
export const STOP_GRACE = 1000;

export async function runWork(
  service: Service,
  work: Work,
  signal: AbortSignal,
  onPart?: OnPart,
): Promise<Answer> {
  const divided = 'divides' in work ? dividedAnswer(service, work) : undefined;
  if (divided !== undefined) return divided;
  const request =
    'request' in work
      ? work.request
      : await orUnknownNames(service, () => service.read(work.task, work.body));
  return service.run(request, signal, onPart);
}

/** Reads a request. If it is refused, the error also lists the unknown names that the request contains. */
export async function orUnknownNames<T>(service: Service, read: () => T): Promise<T> {
  try {
    return read();
  } catch (error) {
    throw await service.withUnknownNames(error);
  }
}

function dividedAnswer(service: Service, { task, body, divides }: DivideWork): Answer | undefined {
  const begin = performance.now();
  const division = service.divide(task, body);
  const isWorthIt = divides === 'lines' || (division?.isBatch && division.inputs.length > 1);
  if (division === undefined || !isWorthIt) return undefined;
  const seconds = (performance.now() - begin) / 1000;
  return { ...emptyAnswer(seconds), division, body: body as Uint8Array<ArrayBuffer> };
}

export interface WorkMessage {
  readonly work: Work;
  readonly flag: StopFlag;
  readonly parts: MessagePort | undefined;
}

export interface BulkMessage {
  readonly bulk: object;
  readonly flag: StopFlag;
  readonly channel: BulkEnd;
}

/** A thread's end of the channel to the caller of a bulk task, see `bulk-threads.ts`. */
export interface BulkEnd {
  readonly port: MessagePort;
  readonly state: Int32Array<SharedArrayBuffer>;
}

/** Sent to a worker thread through its port: models to open in advance, because other threads use them. */
export interface Preparation {
  readonly models: readonly string[];
}

/** Sent by a worker thread through its port: a plugin could not be created there, or has now been created. */
export interface PluginState {
  readonly plugin: PluginId;
  readonly failure: string | undefined;
}

/** Sent back by a worker thread. Errors are sent as data, because a cloned error loses its code. */
export type WorkOutcome = { readonly answer: Answer } | { readonly error: PlainError } | BulkDone;

interface BulkDone {
  readonly isDone: true;
}

export interface WorkerData {
  readonly config: Config;
  readonly plugins: Pick<Registry, 'all' | 'broken'>;
}

/**
 * Receives parts of an answer from a worker thread.
 *
 * @param onPart called with each part, in the order of posting
 */
export function openPartChannel(onPart: OnPart) {
  const { port1, port2 } = new MessageChannel();
  port1.on('message', onPart);
  return {
    port: port2,
    /** Delivers the remaining posted parts, and accepts no more. */
    close() {
      // The outcome comes through another port, and may arrive before parts that were posted earlier.
      for (let next = receiveMessageOnPort(port1); next !== undefined; next = receiveMessageOnPort(port1)) {
        onPart(next.message);
      }
      port1.close();
    },
  };
}

export function partSender(port: MessagePort | undefined): OnPart | undefined {
  return port === undefined ? undefined : (bytes) => port.postMessage(bytes, [bytes.buffer]);
}

/** A stop flag in shared memory, readable without yielding. It also records whether the work has begun. */
type StopFlag = Int32Array<SharedArrayBuffer>;

const STOP = 0;
const BEGUN = 1;

export function createStopFlag(): StopFlag {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
}

export function raise(flag: StopFlag): void {
  Atomics.store(flag, STOP, 1);
}

export function hasBegun(flag: StopFlag): boolean {
  return Atomics.load(flag, BEGUN) === 1;
}

/** Milliseconds between checks of the stop flag while a task waits. */
const LOOK_EVERY = 50;

/** Runs a task with a signal that aborts when the flag is raised. Reading the signal checks the flag. */
export async function withSignal<T>(flag: StopFlag, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  Atomics.store(flag, BEGUN, 1);
  const controller = new AbortController();
  const { signal } = controller;
  const look = () => {
    if (Atomics.load(flag, STOP) === 1) controller.abort();
  };
  const isAborted = Object.getOwnPropertyDescriptor(AbortSignal.prototype, 'aborted')?.get as () => boolean;
  Object.defineProperties(signal, {
    aborted: {
      get() {
        look();
        return isAborted.call(signal);
      },
    },
    throwIfAborted: {
      value() {
        look();
        AbortSignal.prototype.throwIfAborted.call(signal);
      },
    },
  });
  const timer = setInterval(look, LOOK_EVERY);
  try {
    return await run(signal);
  } finally {
    clearInterval(timer);
  }
}
