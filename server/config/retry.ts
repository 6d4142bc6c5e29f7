import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';

export interface RetryLimits {
  /** Maximum retries after the first attempt; default unlimited. */
  readonly retries?: number;
  /** Milliseconds before the first retry. The delay doubles each time, plus up to 100 % jitter. */
  readonly firstDelay: number;
  /** Maximum delay in milliseconds. If the other side asks for a longer wait, the work is not retried. */
  readonly maxDelay: number;
  /** Total milliseconds after which no retry starts; default unlimited. */
  readonly deadline?: number;
}

export interface RetryRules {
  /** Whether the same work may succeed later. */
  readonly isTransient: (error: unknown) => boolean;
  /** Milliseconds that the other side asked to wait after this failure. */
  readonly retryAfter?: (error: unknown) => number | undefined;
  /** Called before each wait with its length in milliseconds. */
  readonly onRetry?: (error: unknown, delay: number) => void;
  /** Aborts a wait; its reason is thrown. */
  readonly signal?: AbortSignal;
}

/**
 * Retries work after transient errors. Delays grow, are randomised, and are never shorter than the other side
 * asks. The last failure is thrown unchanged.
 */
export function withRetries<T>(limits: RetryLimits, rules: RetryRules, work: () => Promise<T>): Promise<T> {
  const { retries = Number.POSITIVE_INFINITY, firstDelay, maxDelay, deadline } = limits;
  const { isTransient, retryAfter, onRetry, signal } = rules;
  return pRetry(work, {
    retries,
    minTimeout: firstDelay,
    maxTimeout: maxDelay,
    randomize: true,
    ...(deadline === undefined ? {} : { maxRetryTime: deadline }),
    ...(signal === undefined ? {} : { signal }),
    async shouldRetry({ error, retryDelay }) {
      const asked = retryAfter?.(error) ?? 0;
      if (!isTransient(error) || asked > maxDelay) return false;
      onRetry?.(error, Math.max(asked, retryDelay));
      // Waits for the part of `Retry-After` beyond the usual delay. p-retry throws the reason of an abort.
      if (asked > retryDelay) await sleep(asked - retryDelay, undefined, { signal }).catch(() => undefined);
      return true;
    },
  });
}

/** Milliseconds that an answer asks to wait: `Retry-After` in seconds, possibly fractional, or as a date. */
export function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const milliseconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(milliseconds) ? Math.max(milliseconds, 0) : undefined;
}

/**
 * Transient failures by kind of call: HTTP by status or connection, file systems by code. Database errors are
 * in `server/store/failures.ts`. Clients import nothing from the server, so theirs are in `retries.ts`.
 */

export const isTransientStatus = (status: number): boolean =>
  status === 408 || status === 429 || status >= 500;

/** Codes of broken connections and of transient connection failures. */
const BROKEN_CONNECTION = [
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
];

export const isBrokenConnection = (error: unknown): boolean =>
  BROKEN_CONNECTION.includes(codeOf(error) ?? '');

/** The code of a system error, which `fetch` hides in the cause. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error ? String(error.code) : codeOf(error.cause);
}

const BUSY_FILES = ['EMFILE', 'ENFILE', 'EAGAIN', 'EBUSY', 'EINTR', 'ESTALE'];

/** Whether a file system may accept a retry soon: too many files are open, or a file is in use. */
export const isBusyFile = (error: unknown): boolean => BUSY_FILES.includes(codeOf(error) ?? '');
