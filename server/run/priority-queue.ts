import { OVERLOADED } from './overloaded.ts';

export interface QueueLimits {
  /** Most tasks that run at once. One small task more may run while large ones do. */
  readonly threads: number;
  /** Most tasks that wait. */
  readonly queueSize: number;
}

/** A task is large if its body has more bytes. */
const SMALL_BYTES = 262_144;
/** Most small tasks that may overtake a large one that waits. */
const MOST_OVERTAKING = 8;

type Size = 'small' | 'large';

interface Waiting {
  readonly size: Size;
  begin(): void;
}

/** Admits tasks to the worker threads in two priorities, so that small ones do not wait behind large ones. */
export class PriorityQueue {
  readonly #limits: QueueLimits;
  readonly #queues: Record<Size, Set<Waiting>> = { small: new Set(), large: new Set() };
  readonly #running: Record<Size, number> = { small: 0, large: 0 };
  #overtaking = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Tasks that wait. */
  get waiting(): number {
    return this.#queues.small.size + this.#queues.large.size;
  }

  /** Whether a task that arrives now is turned away, even a small one. */
  get isFull(): boolean {
    return !this.#hasRoom('small') && this.waiting >= this.#limits.queueSize;
  }

  /**
   * Waits for a thread.
   *
   * @param isPatient whether the task waits even if the queue is full, because its caller has few at a time
   * @returns a function that releases the thread
   * @throws ServiceError `overloaded` at once if the queue is full
   * @throws the signal's reason once it aborts
   */
  async enter(bytes: number, signal: AbortSignal, isPatient = false): Promise<() => void> {
    signal.throwIfAborted();
    const size = bytes <= SMALL_BYTES ? 'small' : 'large';
    if (this.#queues[size].size === 0 && this.#hasRoom(size)) return this.#start(size);
    if (!isPatient && this.waiting >= this.#limits.queueSize) throw OVERLOADED;
    return this.#wait(size, signal);
  }

  #hasRoom(size: Size): boolean {
    const extra = size === 'small' && this.#running.large > 0 ? 1 : 0;
    return this.#running.small + this.#running.large < this.#limits.threads + extra;
  }

  #start(size: Size): () => void {
    this.#running[size]++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#running[size]--;
      this.#startWaiting();
    };
  }

  #startWaiting(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#queues[next.size].delete(next);
      next.begin();
    }
  }

  #next(): Waiting | undefined {
    const [small] = this.#queues.small;
    const [large] = this.#queues.large;
    const isLargeNext = large !== undefined && this.#hasRoom('large') && this.#overtaking >= MOST_OVERTAKING;
    if (small !== undefined && this.#hasRoom('small') && !isLargeNext) {
      if (large !== undefined) this.#overtaking++;
      return small;
    }
    if (large === undefined || !this.#hasRoom('large')) return undefined;
    this.#overtaking = 0;
    return large;
  }

  #wait(size: Size, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#queues[size].delete(entry);
        reject(signal.reason);
      };
      const begin = () => {
        signal.removeEventListener('abort', giveUp);
        resolve(this.#start(size));
      };
      const entry: Waiting = { size, begin };
      this.#queues[size].add(entry);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }
}
