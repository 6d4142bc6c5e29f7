import { ServiceError } from '../../core/errors.ts';

/** A database that cannot be opened: the problem and the remedy, in one line, for the console. */
export class StoreOpenError extends Error {}

/** The error of a store that cannot be used now. */
export function unavailable(reason: string, cause?: unknown): ServiceError {
  return new ServiceError('store_unavailable', { reason, seconds: 1 }, cause);
}
