/**
 * Tells a task in another thread to stop, and tells this thread whether it has begun. The threads share its memory,
 * so a thread can read it without yielding.
 */
export type StopFlag = Int32Array<SharedArrayBuffer>;

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

/** Milliseconds after which a waiting task notices the flag. */
const LOOK_EVERY = 50;

/** Runs a task with a signal that aborts once the flag is raised; reading it is enough, the thread need not yield. */
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
