/** A failure that may pass. */
export class TransientError extends Error {
  /** Milliseconds that the other side asked to wait. */
  readonly retryAfter: number | undefined;

  constructor(message: string, retryAfter?: number, cause?: unknown) {
    super(message, { cause });
    this.retryAfter = retryAfter;
  }
}

export interface RetryLimits {
  /** Most tries. */
  readonly tries: number;
  /** Milliseconds before the second try; doubled before each further one. */
  readonly firstDelay: number;
  /** Longest wait in milliseconds; who is asked to wait longer gives up. */
  readonly longestDelay: number;
}

/**
 * Runs again what failed with a `TransientError`, after waits that grow and that differ from caller to
 * caller. The last failure is thrown as it is.
 */
export async function withRetries<T>(
  { tries, firstDelay, longestDelay }: RetryLimits,
  signal: AbortSignal,
  run: () => Promise<T>,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof TransientError) || failures === tries) throw error;
      const backOff = Math.min(firstDelay * 2 ** (failures - 1), longestDelay) * (0.5 + Math.random() / 2);
      const delay = error.retryAfter ?? backOff;
      if (delay > longestDelay) throw error;
      await pause(delay, signal);
    }
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', stop, { once: true });
  });
}
