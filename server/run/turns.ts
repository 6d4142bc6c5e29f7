import { setImmediate } from 'node:timers';
import { OVERLOADED } from './overloaded.ts';

/** Lets tasks to the event loop, so that it comes to other requests between them. */
export interface Turns {
  /**
   * Waits until a task may run.
   *
   * @throws ServiceError `overloaded` at once where the queue is full
   * @throws the signal's reason, once it aborts
   */
  enter(signal: AbortSignal): Promise<void>;
  /**
   * Lets a turn pass without a task. Node accepts one connection in each: were every one of them as long as a
   * task, connections would come in slower than clients open them, and `/health` wait behind all others.
   */
  makeWay(): void;
  /** Tasks that wait. */
  readonly waiting: number;
  /** Whether a task that comes now is turned away. */
  readonly isFull: boolean;
}

/** Milliseconds after the first task of a turn of the event loop in which others may begin in the same turn. */
const TURN_MS = 5;
/** Turns in a row that pass without a task. */
const MOST_PASSED = 16;

/** @param queueSize most tasks that wait; of these one runs in each turn */
export function createTurns(queueSize: number): Turns {
  const queue = new Set<() => void>();
  /** When the first task of this turn began. */
  let began: number | undefined;
  let mayPass = false;
  /** Turns that have passed without a task since the last one. */
  let passed = 0;

  function beginTurn(): void {
    began = performance.now();
    setImmediate(endTurn);
  }

  function endTurn(): void {
    const [next] = queue;
    if (next === undefined) {
      began = undefined;
      return;
    }
    const passes = mayPass && passed < MOST_PASSED;
    mayPass = false;
    if (passes) {
      passed++;
      setImmediate(endTurn);
      return;
    }
    passed = 0;
    beginTurn();
    queue.delete(next);
    next();
  }

  /** Whether a task may run at once. */
  const hasRoom = () => began === undefined || (queue.size === 0 && performance.now() - began < TURN_MS);
  const isFull = () => !hasRoom() && queue.size >= queueSize;

  function wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        queue.delete(begin);
        reject(signal.reason);
      };
      const begin = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      queue.add(begin);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  return {
    async enter(signal) {
      signal.throwIfAborted();
      if (isFull()) throw OVERLOADED;
      if (!hasRoom()) return wait(signal);
      if (began === undefined) beginTurn();
    },
    makeWay() {
      mayPass = true;
    },
    get waiting() {
      return queue.size;
    },
    get isFull() {
      return isFull();
    },
  };
}
