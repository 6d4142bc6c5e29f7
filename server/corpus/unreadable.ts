import { ServiceError } from '../../core/errors.ts';

/** @param source name of the file @param reason ends the sentence "it cannot be read:" */
export function unreadable(source: string, reason: string, cause?: unknown): ServiceError {
  return new ServiceError('source_unreadable', { source, reason }, cause);
}
