import { ServiceError } from '../../core/errors.ts';
import { ChunksmithError } from '../clients/javascript/errors.ts';
import { ConfigError } from '../config/config.ts';
import { StoreOpenError } from '../store/errors.ts';

/** How a command ended, as its exit status; shells give those of signals from 128 on. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  someFailed: 3,
  interrupted: 130,
  terminated: 143,
} as const;

/** A command that cannot be carried out as it was given; the message says what to change. */
export class UsageError extends Error {}

/** A command that failed for a reason which its message says. */
export class CommandError extends Error {}

/** Whether the message of an error says all that there is to say. */
export function isExpected(error: unknown): error is Error {
  const expected = [CommandError, ServiceError, ChunksmithError, StoreOpenError];
  return expected.some((kind) => error instanceof kind) || isUsage(error);
}

/** Whether the command was not asked for rightly. */
export function isUsage(error: unknown): error is Error {
  if (error instanceof ServiceError) return error.status < 500;
  return error instanceof UsageError || error instanceof ConfigError;
}
