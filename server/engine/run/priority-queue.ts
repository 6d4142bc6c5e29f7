import { ServiceError } from '../../../core/errors.ts';

/** Seconds after which a rejected client may retry. */
const RETRY_SECONDS = 1;

/** Thrown if a queue is full. A single instance: creating an error costs more than the rest of a refusal. */
export const OVERLOADED = new ServiceError('overloaded', { seconds: RETRY_SECONDS });

export interface QueueLimits {
  /** Maximum concurrent tasks. One extra small task may run while large ones do. */
  readonly threads: number;
  /** Maximum waiting tasks. */
  readonly queueSize: number;
  /** Maximum concurrent bulk tasks; default: the number of threads. */
  readonly bulk?: number;
}

/** A task with a larger body is large. */
const SMALL_BYTES = 262_144;
/** Maximum small tasks that may overtake a waiting large one. */
const MOST_OVERTAKING = 8;

/**
 * How urgent work is. `patient` waits even if the queue is full, because its caller has few tasks at a time, and
 * counts as large, so that others overtake it; `bulk` is also patient, and lets all others go first.
 */
export type Urgency = 'urgent' | 'patient' | 'bulk';

type Size = 'small' | 'large' | 'bulk';

interface Waiting {
  readonly size: Size;
  readonly isPatient: boolean;
  begin(): void;
}

/**
 * Admits tasks to the worker threads by priority, so that small ones do not wait for large ones, and none waits for
 * bulk.
 */
export class PriorityQueue {
  readonly #limits: QueueLimits;
  readonly #queues: Record<Size, Set<Waiting>> = {
    small: new Set(),
    large: new Set(),
    bulk: new Set(),
  };
  readonly #running: Record<Size, number> = { small: 0, large: 0, bulk: 0 };
  #overtaking = 0;
  /** Number of waiting tasks that are patient. */
  #patient = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Number of waiting tasks. */
  get waiting(): number {
    const { small, large, bulk } = this.#queues;
    return small.size + large.size + bulk.size;
  }

  /** Number of idle threads. */
  get idle(): number {
    const { small, large, bulk } = this.#running;
    return Math.max(this.#limits.threads - small - large - bulk, 0);
  }

  /** Whether a task arriving now would be rejected, even a small one. */
  get isFull(): boolean {
    return !this.#hasRoom('small') && !this.#mayWait;
  }

  /** Whether one more may wait; patient tasks take no places in the queue. */
  get #mayWait(): boolean {
    return this.waiting - this.#patient < this.#limits.queueSize;
  }

  /**
   * Waits for a thread.
   *
   * @returns a function that releases the thread
   * @throws ServiceError `overloaded` at once if the queue is full
   * @throws the signal's reason once it aborts
   */
  async enter(bytes: number, signal: AbortSignal, urgency: Urgency = 'urgent'): Promise<() => void> {
    signal.throwIfAborted();
    const isPatient = urgency !== 'urgent';
    const isSmall = bytes <= SMALL_BYTES && !isPatient;
    const size = urgency === 'bulk' ? 'bulk' : isSmall ? 'small' : 'large';
    if (this.#queues[size].size === 0 && this.#hasRoom(size)) return this.#start(size);
    if (!isPatient && !this.#mayWait) throw OVERLOADED;
    return this.#wait(size, isPatient, signal);
  }

  #hasRoom(size: Size): boolean {
    const { small, large, bulk } = this.#running;
    if (size === 'bulk' && bulk >= (this.#limits.bulk ?? Number.POSITIVE_INFINITY)) return false;
    const extra = size === 'small' && large + bulk > 0 ? 1 : 0;
    return small + large + bulk < this.#limits.threads + extra;
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
      this.#remove(next);
      next.begin();
    }
  }

  #remove(entry: Waiting): void {
    this.#queues[entry.size].delete(entry);
    if (entry.isPatient) this.#patient--;
  }

  #next(): Waiting | undefined {
    const [small] = this.#queues.small;
    const [large] = this.#queues.large;
    const isLargeNext = large !== undefined && this.#hasRoom('large') && this.#overtaking >= MOST_OVERTAKING;
    if (small !== undefined && this.#hasRoom('small') && !isLargeNext) {
      if (large !== undefined) this.#overtaking++;
      return small;
    }
    if (large !== undefined && this.#hasRoom('large')) {
      this.#overtaking = 0;
      return large;
    }
    const [bulk] = this.#queues.bulk;
    return bulk !== undefined && large === undefined && this.#hasRoom('bulk') ? bulk : undefined;
  }

  #wait(size: Size, isPatient: boolean, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#remove(entry);
        reject(signal.reason);
      };
      const begin = () => {
        signal.removeEventListener('abort', giveUp);
        resolve(this.#start(size));
      };
      const entry: Waiting = { size, isPatient, begin };
      this.#queues[size].add(entry);
      if (isPatient) this.#patient++;
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }
}
