import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';

/** How often, how soon and for how long failed work is retried. */
export interface RetryLimits {
  /** Maximum retries after the first attempt; default unlimited. */
  readonly retries?: number;
  /** Milliseconds before the first retry. The delay doubles each time, plus up to 100 % jitter. */
  readonly firstDelay: number;
  /** Maximum delay in milliseconds. Work that is asked to wait longer is not retried. */
  readonly longestDelay: number;
  /** Milliseconds in total after which no retry starts; default unlimited. */
  readonly patience?: number;
}

/** What a caller knows about the failures of its work. */
export interface RetryRules {
  /** Whether the same work may succeed later. */
  readonly isPassing: (error: unknown) => boolean;
  /** Milliseconds that the other side asked to wait after this failure. */
  readonly retryAfter?: (error: unknown) => number | undefined;
  /** Called before each wait with its length in milliseconds. */
  readonly onRetry?: (error: unknown, delay: number) => void;
  /** Ends the waiting; its reason is thrown. */
  readonly signal?: AbortSignal;
}

/**
 * Retries work that fails with a temporary error. Delays grow, are randomised, and are never shorter than the other
 * side asked for. The last failure is thrown unchanged.
 */
export function withRetries<T>(limits: RetryLimits, rules: RetryRules, work: () => Promise<T>): Promise<T> {
  const { retries = Number.POSITIVE_INFINITY, firstDelay, longestDelay, patience } = limits;
  const { isPassing, retryAfter, onRetry, signal } = rules;
  return pRetry(work, {
    retries,
    minTimeout: firstDelay,
    maxTimeout: longestDelay,
    randomize: true,
    ...(patience === undefined ? {} : { maxRetryTime: patience }),
    ...(signal === undefined ? {} : { signal }),
    async shouldRetry({ error, retryDelay }) {
      const asked = retryAfter?.(error) ?? 0;
      if (!isPassing(error) || asked > longestDelay) return false;
      onRetry?.(error, Math.max(asked, retryDelay));
      await waitLonger(asked - retryDelay, signal);
      return true;
    },
  });
}

/** Waits for the part of `Retry-After` that exceeds the usual delay. p-retry throws the reason of an abort. */
async function waitLonger(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  if (milliseconds > 0) await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}

/** Milliseconds that an answer asks to wait: `Retry-After` in seconds, possibly fractional, or as a date. */
export function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const milliseconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(milliseconds) ? Math.max(milliseconds, 0) : undefined;
}
