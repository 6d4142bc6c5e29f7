import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { fromPlainError, type PlainError, ServiceError, toPlainError } from '../../../core/errors.ts';
import { withLinkedStop } from '../abort.ts';
import type { BulkEnd, Executor } from './executor.ts';
import type { PriorityQueue } from './priority-queue.ts';

/** Whether the thread should pause before its next group. */
const IS_WANTED = 0;
/** Number of groups that the thread has begun or ended; odd while the thread works on one. */
const GROUP_EDGES = 1;

/** What a thread sends: a message, a question that waits for an answer, or that it pauses until it may go on. */
type FromThread =
  | { readonly message: unknown }
  | { readonly question: unknown; readonly id: number }
  | { readonly isPausing: true };

type ToThread =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: PlainError }
  | { readonly mayGoOn: true };

export interface BulkHandlers {
  onMessage(message: unknown): void;
  /** Answers a question of the thread. */
  answer?(question: unknown): Promise<unknown>;
  /** Called after each message, and from time to time. @returns whether the thread should pause although no other work waits for it */
  shouldPause?(): boolean;
  /** Called while the thread pauses. The thread goes on once the promise is settled and there is room. */
  pause?(): Promise<void>;
}

export interface BulkThreadsOptions {
  readonly pool: Pick<Executor, 'runBulk'>;
  readonly queue: PriorityQueue;
  /** Maximum seconds for a group. */
  readonly groupSeconds: number;
}

/** Milliseconds between two looks at the work of a thread. */
const LOOK = 500;
/** Milliseconds that a group may take beyond its deadline, which the thread itself enforces if it can. */
const GRACE = 3000;

/**
 * Runs bulk tasks, each in a thread that reads, works and writes by itself. A bulk task works in groups of
 * documents. It has a place in the queue of all work, and gives the place back between two groups if other work waits.
 */
export class BulkThreads {
  readonly #options: BulkThreadsOptions;

  constructor(options: BulkThreadsOptions) {
    this.#options = options;
  }

  /**
   * @param task plain data
   * @throws ServiceError errors of the task; `out_of_memory`, `worker_lost` if its thread was lost or hung
   * @throws the signal's reason once it aborts
   */
  async run(task: object, signal: AbortSignal, handlers: BulkHandlers): Promise<void> {
    const { pool } = this.#options;
    const state = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
    const want = () => void Atomics.store(state, IS_WANTED, 1);
    const enter = () => this.#options.queue.enter(0, signal, { urgency: 'bulk', onWanted: want });
    let leave = await enter();
    let isOver = false;
    const { port1, port2 } = new MessageChannel();
    const goOn = async () => {
      leave();
      await handlers.pause?.().catch(() => {});
      Atomics.store(state, IS_WANTED, 0);
      if (!isOver) leave = await enter();
      if (isOver) leave();
      else port1.postMessage({ mayGoOn: true } satisfies ToThread);
    };
    const receive = (sent: FromThread) => {
      if ('message' in sent) {
        handlers.onMessage(sent.message);
        if (handlers.shouldPause?.()) want();
      } else if ('question' in sent) void reply(port1, sent, handlers);
      else goOn().catch(() => {});
    };
    port1.on('message', receive);
    try {
      await withLinkedStop(signal, (stop) => {
        const watch = this.#watch(state, stop, () => handlers.shouldPause?.() && want());
        return pool
          .runBulk(task, stop.signal, { port: port2, state })
          .catch((error: unknown) => {
            throw stop.signal.aborted && !signal.aborted ? stop.signal.reason : error;
          })
          .finally(() => clearInterval(watch));
      });
      // The end of the task comes through another port, and may arrive before earlier messages.
      for (let next = receiveMessageOnPort(port1); next !== undefined; next = receiveMessageOnPort(port1))
        receive(next.message);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      isOver = true;
      leave();
      port1.close();
    }
  }

  /** Stops a thread whose group takes too long. */
  #watch(state: BulkEnd['state'], stop: AbortController, onLook: () => void): NodeJS.Timeout {
    const most = this.#options.groupSeconds * 1000 + GRACE;
    let edges = 0;
    let since = performance.now();
    return setInterval(() => {
      onLook();
      const now = Atomics.load(state, GROUP_EDGES);
      if (now !== edges || now % 2 === 0) [edges, since] = [now, performance.now()];
      else if (performance.now() - since > most) stop.abort(new ServiceError('worker_lost', {}));
    }, LOOK);
  }
}

async function reply(
  port: MessagePort,
  { id, question }: Extract<FromThread, { readonly id: number }>,
  { answer }: BulkHandlers,
): Promise<void> {
  try {
    port.postMessage({ id, answer: await answer?.(question) } satisfies ToThread);
  } catch (error) {
    port.postMessage({ id, error: toPlainError(error) } satisfies ToThread);
  }
}

/** The side of the thread: what a bulk task uses there. */
export class BulkChannel {
  readonly #port: MessagePort;
  readonly #state: BulkEnd['state'];
  readonly #signal: AbortSignal;
  readonly #questions = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;
  #goOn: () => void = () => {};

  constructor({ port, state }: BulkEnd, signal: AbortSignal) {
    this.#port = port;
    this.#state = state;
    this.#signal = signal;
    port.on('message', (sent: ToThread) => {
      if ('mayGoOn' in sent) return this.#goOn();
      const asked = this.#questions.get(sent.id);
      this.#questions.delete(sent.id);
      if ('error' in sent) asked?.reject(fromPlainError(sent.error));
      else asked?.resolve(sent.answer);
    });
    signal.addEventListener('abort', () => this.#end(), { once: true });
  }

  post(message: unknown, moved: readonly ArrayBuffer[] = []): void {
    this.#port.postMessage({ message } satisfies FromThread, [...moved]);
  }

  /** Asks the caller of the task. @throws ServiceError its error */
  ask(question: unknown): Promise<unknown> {
    const asked = Promise.withResolvers<unknown>();
    const id = ++this.#lastId;
    this.#questions.set(id, asked);
    this.#port.postMessage({ question, id } satisfies FromThread);
    return asked.promise;
  }

  /** Works on a group, after a pause if other work waits for a thread. Groups must not overlap. */
  async group<T>(work: () => Promise<T>): Promise<T> {
    if (Atomics.load(this.#state, IS_WANTED) === 1) await this.#pause();
    Atomics.add(this.#state, GROUP_EDGES, 1);
    try {
      return await work();
    } finally {
      Atomics.add(this.#state, GROUP_EDGES, 1);
    }
  }

  close(): void {
    this.#port.close();
  }

  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#goOn = resolve;
    this.#port.postMessage({ isPausing: true } satisfies FromThread);
    await promise;
    this.#signal.throwIfAborted();
  }

  #end(): void {
    this.#goOn();
    for (const { reject } of this.#questions.values()) reject(this.#signal.reason);
    this.#questions.clear();
  }
}
