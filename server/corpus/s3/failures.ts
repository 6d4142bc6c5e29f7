import { ServiceError } from '../../../core/errors.ts';

/** An answer that is no success. */
export class S3Failure extends Error {
  readonly status: number;
  /** What S3 calls it, such as `NoSuchBucket`; `''` if the answer says nothing. */
  readonly code: string;
  /** Milliseconds that the service asked to wait. */
  readonly retryAfter: number | undefined;

  /** @param message what the service says, for the log */
  constructor(status: number, code: string, message: string, retryAfter?: number) {
    super(`${status} ${code} ${message}`.trim());
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** The connection, or what came over it, is of no use. */
export class ConnectionFailure extends Error {}

/** Whether the same call may succeed later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ServiceError) return false;
  if (error instanceof ConnectionFailure) return true;
  if (!(error instanceof S3Failure)) return isBrokenConnection(error);
  const { status, code } = error;
  if (status >= 500) return status !== 501;
  return status === 429 || status === 408 || code === 'RequestTimeout' || code === 'OperationAborted';
}

export const retryAfter = (error: unknown): number | undefined =>
  error instanceof S3Failure ? error.retryAfter : undefined;

/** Errors of sockets and of name servers have codes of the system; those of Node itself begin with `ERR_`. */
function isBrokenConnection(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || (code !== undefined && !/^(ERR_|ABORT_ERR)/.test(code));
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/** A failure in words for callers, who see neither keys nor what the service says. */
export function storageFailed(label: string, error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError('storage_failed', { storage: label, reason: reasonFor(error) }, error);
}

function reasonFor(error: unknown): string {
  if (error instanceof S3Failure) {
    const { status, code } = error;
    const remedy = REMEDIES[code] ?? REMEDIES[String(status)];
    return `it answered ${[status, code].join(' ').trim()}${remedy === undefined ? '' : `; ${remedy}`}`;
  }
  if (error instanceof ConnectionFailure) return error.message;
  return `the connection failed (${codeOf(error) ?? 'unknown'}); check the endpoint and the network`;
}

/** What to do, by what S3 calls a failure, or by the status where an answer has no body. */
const REMEDIES: Readonly<Record<string, string>> = {
  AccessDenied: 'the key may not do this: check its rights',
  AuthorizationHeaderMalformed: 'check region',
  ExpiredToken: 'the session_token has expired',
  InvalidAccessKeyId: 'check access_key_id',
  InvalidToken: 'check session_token',
  KeyTooLongError: 'use shorter names',
  NoSuchBucket: 'check bucket',
  PermanentRedirect: 'check endpoint and region',
  RequestTimeTooSkewed: 'set the clock of this machine',
  SignatureDoesNotMatch: 'check secret_access_key',
  301: 'check endpoint and region',
  307: 'check endpoint and region',
  400: 'check region and session_token',
  403: 'check the keys of the connection and their rights',
};
