import { OVERLOADED } from './overloaded.ts';

/** Lets tasks to the worker threads, in two lanes, so that small ones do not wait behind large ones. */
export interface Lanes {
  /**
   * Waits for a thread; what comes back gives it up again.
   *
   * @throws ServiceError `overloaded` at once where the queue is full
   * @throws the signal's reason, once it aborts
   */
  enter(bytes: number, signal: AbortSignal): Promise<() => void>;
  /** Tasks that wait. */
  readonly waiting: number;
  /** Whether a task that comes now is turned away. */
  readonly isFull: boolean;
}

export interface LaneLimits {
  /** Tasks that run at once. One small task more may run while large ones do. */
  readonly threads: number;
  /** Most tasks that wait. */
  readonly queueSize: number;
}

/** A body of more bytes is a large one. */
const SMALL_BYTES = 262_144;
/** Small tasks that may overtake a large one that waits. */
const MOST_OVERTAKING = 8;

type Lane = 'small' | 'large';

interface Waiting {
  readonly lane: Lane;
  begin(): void;
}

export function createLanes({ threads, queueSize }: LaneLimits): Lanes {
  const queues: Record<Lane, Set<Waiting>> = { small: new Set(), large: new Set() };
  const running: Record<Lane, number> = { small: 0, large: 0 };
  let overtaking = 0;

  const waiting = () => queues.small.size + queues.large.size;
  const isFull = () => !hasRoom('small') && waiting() >= queueSize;

  function hasRoom(lane: Lane): boolean {
    const extra = lane === 'small' && running.large > 0 ? 1 : 0;
    return running.small + running.large < threads + extra;
  }

  function start(lane: Lane): () => void {
    running[lane]++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      running[lane]--;
      startWaiting();
    };
  }

  function startWaiting(): void {
    for (let next = nextWaiting(); next !== undefined; next = nextWaiting()) {
      queues[next.lane].delete(next);
      next.begin();
    }
  }

  function nextWaiting(): Waiting | undefined {
    const [small] = queues.small;
    const [large] = queues.large;
    const isLargeNext = large !== undefined && hasRoom('large') && overtaking >= MOST_OVERTAKING;
    if (small !== undefined && hasRoom('small') && !isLargeNext) {
      if (large !== undefined) overtaking++;
      return small;
    }
    if (large === undefined || !hasRoom('large')) return undefined;
    overtaking = 0;
    return large;
  }

  function wait(lane: Lane, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        queues[lane].delete(entry);
        reject(signal.reason);
      };
      const entry: Waiting = {
        lane,
        begin() {
          signal.removeEventListener('abort', giveUp);
          resolve(start(lane));
        },
      };
      queues[lane].add(entry);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  return {
    async enter(bytes, signal) {
      signal.throwIfAborted();
      const lane = bytes <= SMALL_BYTES ? 'small' : 'large';
      if (queues[lane].size === 0 && hasRoom(lane)) return start(lane);
      if (waiting() >= queueSize) throw OVERLOADED;
      return wait(lane, signal);
    },
    get waiting() {
      return waiting();
    },
    get isFull() {
      return isFull();
    },
  };
}
