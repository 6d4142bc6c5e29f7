import { ServiceError } from '../../core/errors.ts';
import { ChunksmithError } from '../clients/javascript/errors.ts';
import { ConfigError } from '../config/config.ts';
import { StoreOpenError } from '../store/failures.ts';

/** Exit statuses of a command. Shells use statuses from 128 on for signals. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  someFailed: 3,
  interrupted: 130,
  terminated: 143,
} as const;

/** The command line is wrong. The message says what to change. */
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
