import { ServiceError } from '../../core/errors.ts';
import { type RetryLimits, withRetries } from '../config/retry.ts';
import { unavailable } from './errors.ts';
import { asStoreUnavailable } from './failures.ts';

/** How long temporary failures are retried. */
const RETRIES: RetryLimits = { firstDelay: 4, maxDelay: 100, deadline: 5000 };
/** Milliseconds after which a caller gets an error, even if the database has not answered. */
const MAX_WAITING = 30_000;
/** Milliseconds after which an unfinished call means that the store is stuck. */
const STUCK_AFTER = 60_000;

export type Calls = ReturnType<typeof createCalls>;

/** The calls of a database that are in progress. @param now milliseconds of a monotonic clock */
export function createCalls(now: () => number = () => performance.now(), maxWaiting = MAX_WAITING) {
  const begun = new Set<{ readonly at: number }>();
  return {
    /**
     * Makes a call, retrying temporary failures.
     *
     * @throws ServiceError `store_unavailable` if the database cannot be used, or does not answer
     */
    async make<T>(isTransient: (error: unknown) => boolean, work: () => Promise<T>): Promise<T> {
      const call = { at: now() };
      begun.add(call);
      const result = withRetries(RETRIES, { isTransient }, work).finally(() => begun.delete(call));
      const late = Promise.withResolvers<never>();
      const giveUp = () => late.reject(unavailable('it has not answered in time'));
      const timer = setTimeout(giveUp, maxWaiting).unref();
      try {
        return await Promise.race([result, late.promise]);
      } catch (error) {
        throw error instanceof ServiceError ? error : asStoreUnavailable(error);
      } finally {
        clearTimeout(timer);
      }
    },
    /** Whether a call has been in progress for a minute. */
    areStuck(): boolean {
      const [oldest] = begun;
      return oldest !== undefined && now() - oldest.at > STUCK_AFTER;
    },
  };
}
