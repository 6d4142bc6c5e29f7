import { ChunksmithError } from './errors.ts';

/** Maximum random part of the first wait, in ms. The maximum doubles with each retry, up to `MAX_DELAY`. */
const FIRST_DELAY = 250;
const MAX_DELAY = 10_000;
/** Milliseconds. If the service asks for a longer wait, the client gives up. */
const MAX_WAIT = 60_000;

export interface RetryRules {
  readonly maxRetries: number;
  /** Whether the request may be carried out twice. */
  readonly isIdempotent: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Repeats work that fails with a temporary error. After the last try, throws its error unchanged. */
export async function withRetries<T>(rules: RetryRules, work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const delay = tries < rules.maxRetries ? delayAfter(error, tries, rules.isIdempotent) : undefined;
      if (delay === undefined) throw error;
      await wait(delay, rules.signal);
    }
  }
}

/** Milliseconds to wait before the next try; undefined if the error is not temporary. */
function delayAfter(error: unknown, tries: number, isIdempotent: boolean): number | undefined {
  if (!(error instanceof ChunksmithError)) return undefined;
  const jitter = Math.random() * Math.min(FIRST_DELAY * 2 ** tries, MAX_DELAY);
  if (isRefusal(error) && error.retryAfter !== undefined) {
    const asked = error.retryAfter * 1000;
    return asked > MAX_WAIT ? undefined : asked + jitter;
  }
  return isIdempotent && isLost(error) ? jitter + FIRST_DELAY / 2 : undefined;
}

function isRefusal({ status }: ChunksmithError): boolean {
  return status === 429 || status === 503;
}

function isLost({ code, status }: ChunksmithError): boolean {
  if (code === 'invalid_answer') return status === 502 || status === 503;
  return code === 'unreachable' || code === 'cut_off';
}

/** @throws the signal's reason as soon as the signal is aborted */
export function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
