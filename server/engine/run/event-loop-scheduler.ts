import { setImmediate } from 'node:timers';
import { unlessAborted } from '../abort.ts';
import { OVERLOADED } from './priority-queue.ts';

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

  /** Number of waiting tasks. */
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

  /** Whether a task may start at once. */
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
