import { ServiceError } from '../../../core/errors.ts';
import type { Sender } from '../read/readers.ts';

const RETRY_SECONDS = 1;

/** Thrown if a queue is full. A single instance, because creating an error is expensive. */
export const OVERLOADED = new ServiceError('overloaded', { seconds: RETRY_SECONDS });

export interface QueueLimits {
  /** Maximum concurrent tasks. One extra small task may run beside large tasks. */
  readonly threads: number;
  readonly queueSize: number;
  /** Maximum concurrent bulk tasks; default: the number of threads. */
  readonly bulk?: number;
}

/** Maximum bytes of a small task's body. */
const SMALL_BYTES = 262_144;
/** Maximum small tasks that may overtake a waiting large task. */
const MAX_OVERTAKING = 8;

/**
 * The urgency of work.
 *
 * - `patient`: waits even if the queue is full, because its caller has few tasks at a time; counts as large, so
 *   small tasks may overtake it
 * - `bulk`: also patient, and lets all other work go first
 */
export type Urgency = 'urgent' | 'patient' | 'bulk';

type Size = 'small' | 'large' | 'bulk';

export interface TaskTerms {
  readonly urgency?: Urgency | undefined;
  /** The sender of a file; undefined for other tasks. Senders take turns, because even a small file may take long. */
  readonly sender?: Sender | undefined;
  /** Called, at most once, when other work waits for the thread. Only long bulk tasks, which then pause, have it. */
  readonly onWanted?: (() => void) | undefined;
}

export const NOBODY = 'nobody';

interface Waiting {
  readonly size: Size;
  readonly isPatient: boolean;
  readonly sender: Sender | undefined;
  readonly onWanted: TaskTerms['onWanted'];
  begin(): void;
}

/**
 * Admits tasks to the worker threads by priority. Small tasks do not wait for large ones, and bulk tasks come last.
 * Senders of files take turns: the next file is from the sender with the fewest files in progress. While one
 * sender's files occupy all threads, one extra task that is not from this sender may run.
 */
export class PriorityQueue {
  readonly #limits: QueueLimits;
  readonly #queues: Record<Size, Set<Waiting>> = {
    small: new Set(),
    large: new Set(),
    bulk: new Set(),
  };
  readonly #running: Record<Size, number> = { small: 0, large: 0, bulk: 0 };
  readonly #files = new Map<Sender, number>();
  /** Long bulk tasks that were not yet asked to pause. */
  readonly #long = new Set<() => void>();
  #overtaking = 0;
  #patient = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get waiting(): number {
    const { small, large, bulk } = this.#queues;
    return small.size + large.size + bulk.size;
  }

  get idle(): number {
    const { small, large, bulk } = this.#running;
    return Math.max(this.#limits.threads - small - large - bulk, 0);
  }

  get isFull(): boolean {
    return !this.#hasRoom('small', undefined) && !this.#mayWait;
  }

  /** Whether one more urgent task may wait. Patient tasks do not count towards the queue's limit. */
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
  async enter(
    bytes: number,
    signal: AbortSignal,
    { urgency = 'urgent', sender, onWanted }: TaskTerms = {},
  ): Promise<() => void> {
    signal.throwIfAborted();
    const isPatient = urgency !== 'urgent';
    const isSmall = bytes <= SMALL_BYTES && !isPatient;
    const size = urgency === 'bulk' ? 'bulk' : isSmall ? 'small' : 'large';
    if (this.#mayStart(size, sender)) return this.#start(size, sender, onWanted);
    if (!isPatient && !this.#mayWait) throw OVERLOADED;
    if (onWanted === undefined) this.#askForPause();
    return this.#wait({ size, isPatient, sender, onWanted }, signal);
  }

  #askForPause(): void {
    const [pause] = this.#long;
    if (pause === undefined) return;
    this.#long.delete(pause);
    pause();
  }

  /** Whether a task may start at once: there is room for it, but for none of the waiting tasks of its size. */
  #mayStart(size: Size, sender: Sender | undefined): boolean {
    if (!this.#hasRoom(size, sender)) return false;
    for (const waiting of this.#queues[size]) if (this.#hasRoom(size, waiting.sender)) return false;
    return true;
  }

  #hasRoom(size: Size, sender: Sender | undefined): boolean {
    const { threads, bulk: most = Number.POSITIVE_INFINITY } = this.#limits;
    const { small, large, bulk } = this.#running;
    if (size === 'bulk' && bulk >= most) return false;
    const running = small + large + bulk;
    if (running < threads) return true;
    if (running > threads || size === 'bulk') return false;
    const isPlainSmall = size === 'small' && sender === undefined;
    return (isPlainSmall && (large + bulk > 0 || this.#files.size > 0)) || this.#isHeldByOther(sender);
  }

  #isHeldByOther(sender: Sender | undefined): boolean {
    for (const [holder, files] of this.#files) {
      if (holder !== sender && files >= this.#limits.threads) return true;
    }
    return false;
  }

  #start(size: Size, sender: Sender | undefined, onWanted: TaskTerms['onWanted']): () => void {
    this.#running[size]++;
    this.#countFile(sender, 1);
    if (onWanted !== undefined) this.#long.add(onWanted);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (onWanted !== undefined) this.#long.delete(onWanted);
      this.#running[size]--;
      this.#countFile(sender, -1);
      this.#startWaiting();
    };
  }

  #countFile(sender: Sender | undefined, by: number): void {
    if (sender === undefined) return;
    const files = (this.#files.get(sender) ?? 0) + by;
    if (files === 0) this.#files.delete(sender);
    else this.#files.set(sender, files);
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
    const small = this.#nextOf('small');
    const large = this.#nextOf('large');
    const isLargeNext = large !== undefined && this.#overtaking >= MAX_OVERTAKING;
    if (small !== undefined && !isLargeNext) {
      if (this.#queues.large.size > 0) this.#overtaking++;
      return small;
    }
    if (large !== undefined) {
      this.#overtaking = 0;
      return large;
    }
    return this.#queues.large.size === 0 ? this.#nextOf('bulk') : undefined;
  }

  /**
   * The first waiting task with room. Among files, one of the sender with the fewest files in progress. Among bulk
   * tasks, a short one.
   */
  #nextOf(size: Size): Waiting | undefined {
    let next: Waiting | undefined;
    for (const entry of this.#queues[size]) {
      const isBetter =
        next === undefined ||
        (next.onWanted !== undefined && entry.onWanted === undefined) ||
        (entry.sender !== undefined && this.#filesOf(entry) < this.#filesOf(next));
      if (isBetter && this.#hasRoom(size, entry.sender)) next = entry;
      if (next !== undefined && next.onWanted === undefined && this.#filesOf(next) === 0) break;
    }
    return next;
  }

  #filesOf({ sender }: Waiting): number {
    return sender === undefined ? 0 : (this.#files.get(sender) ?? 0);
  }

  #wait(given: Omit<Waiting, 'begin'>, signal: AbortSignal): Promise<() => void> {
    const { size, isPatient, sender, onWanted } = given;
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#remove(entry);
        reject(signal.reason);
      };
      const begin = () => {
        signal.removeEventListener('abort', giveUp);
        resolve(this.#start(size, sender, onWanted));
      };
      const entry: Waiting = { ...given, begin };
      this.#queues[size].add(entry);
      if (isPatient) this.#patient++;
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }
}
