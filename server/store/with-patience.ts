import { ServiceError } from '../../core/errors.ts';
import { type RetryLimits, withRetries } from '../retry.ts';
import { asStoreUnavailable } from './failures.ts';

/** How long it is waited for what passes. */
const LIMITS: RetryLimits = { firstDelay: 4, longestDelay: 100, patience: 5000 };

/** Repeats work whose failure may pass, and throws `store_unavailable` if the database cannot be used. */
export async function withPatience<T>(
  isPassing: (error: unknown) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await withRetries(LIMITS, { isPassing }, work);
  } catch (error) {
    throw error instanceof ServiceError ? error : asStoreUnavailable(error);
  }
}
