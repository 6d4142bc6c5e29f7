import { ServiceError } from '../../core/errors.ts';
import { ChunksmithError } from '../clients/javascript/errors.ts';
import { ConfigError } from '../config/config.ts';
import { StoreOpenError } from '../store/failures.ts';

/** Exit status of a command; from 128 on, shells use them for signals. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  someFailed: 3,
  interrupted: 130,
  terminated: 143,
} as const;

/** An error in the command as written; the message says what to change. */
export class UsageError extends Error {}

export class CommandError extends Error {}

export function isExpected(error: unknown): error is Error {
  const expected = [CommandError, ServiceError, ChunksmithError, StoreOpenError];
  return expected.some((kind) => error instanceof kind) || isUsage(error);
}

export function isUsage(error: unknown): error is Error {
  if (error instanceof ServiceError) return error.status < 500;
  return error instanceof UsageError || error instanceof ConfigError;
}
