import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';

export interface RetryLimits {
  /** Maximum retries after the first attempt; default unlimited. */
  readonly retries?: number;
  /** Milliseconds before the first retry. The delay doubles with each retry, plus up to 100 % jitter. */
  readonly firstDelay: number;
  /** Maximum delay in milliseconds. If `retryAfter` returns more, the work is not retried. */
  readonly maxDelay: number;
  /** Milliseconds since the first attempt after which no retry starts; default unlimited. */
  readonly deadline?: number;
}

export interface RetryRules {
  /** Whether a retry may succeed after this error. */
  readonly isTransient: (error: unknown) => boolean;
  /** Minimum milliseconds to wait after this error, as requested by the server; default 0. */
  readonly retryAfter?: (error: unknown) => number | undefined;
  /** Called before each wait. `delay` is in milliseconds. */
  readonly onRetry?: (error: unknown, delay: number) => void;
  /** When this signal aborts, waiting stops and the signal's reason is thrown. */
  readonly signal?: AbortSignal;
}

/**
 * Retries work after transient errors. Delays grow, are randomised, and are never shorter than `retryAfter`.
 * Throws the last error unchanged.
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
      // Waits only for the difference: p-retry itself waits for `retryDelay`, and handles aborts.
      if (asked > retryDelay) await sleep(asked - retryDelay, undefined, { signal }).catch(() => undefined);
      return true;
    },
  });
}

/** `Retry-After` in milliseconds. The header has seconds, possibly fractional, or a date. */
export function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const milliseconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(milliseconds) ? Math.max(milliseconds, 0) : undefined;
}

/**
 * Which failures of HTTP calls and file systems are transient. For databases, see `server/store/failures.ts`.
 * The client libraries import nothing from the server, and have their own rules in `retries.ts`.
 */

export const isTransientStatus = (status: number): boolean =>
  status === 408 || status === 429 || status >= 500;

/** Error codes of broken connections and of transient failures to connect. */
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

/** The code of a system error. `fetch` throws an error that has the system error as its cause. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error ? String(error.code) : codeOf(error.cause);
}

const BUSY_FILES = ['EMFILE', 'ENFILE', 'EAGAIN', 'EBUSY', 'EINTR', 'ESTALE'];

/** Whether a file operation may soon succeed: too many files are open, or the file is in use. */
export const isBusyFile = (error: unknown): boolean => BUSY_FILES.includes(codeOf(error) ?? '');
