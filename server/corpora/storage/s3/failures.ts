import { ServiceError } from '../../../../core/errors.ts';

export class BucketFailure extends Error {
  constructor(problem = 'its answer is not from S3; check the endpoint', options?: ErrorOptions) {
    super(problem, options);
  }
}

interface SdkError extends Error {
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

export const statusOf = (error: unknown): number | undefined => (error as SdkError).$metadata?.httpStatusCode;

export function storageFailed(label: string, error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const reason = error instanceof Error ? reasonFor(error) : String(error);
  return new ServiceError('storage_failed', { storage: label, reason }, error);
}

function reasonFor(error: SdkError): string {
  const { name, code, message } = error;
  if (error instanceof BucketFailure) return message;
  if (name in OURS) return OURS[name] as string;
  const status = statusOf(error);
  if (status !== undefined && status >= 300) {
    // If the response has no body, the SDK invents an error name, which is ignored here.
    const said = /^[A-Z][A-Za-z]+$/.test(name) && name !== 'Unknown' && name !== 'UnknownError' ? name : '';
    const remedy = REMEDIES[said] ?? REMEDIES[status];
    return `it answered ${`${status} ${said}`.trim()}${remedy === undefined ? '' : `; ${remedy}`}`;
  }
  if (code !== undefined) return `the connection failed (${code}); check the endpoint and the network`;
  if (name === 'TimeoutError') return 'it was silent for too long; check the endpoint and the network';
  return /region/i.test(message) && status === undefined
    ? 'the region is missing: set one'
    : new BucketFailure().message;
}

const OURS: Readonly<Record<string, string>> = {
  CredentialsProviderError:
    'no key was found: set access_key_id and secret_access_key, or give this machine a profile or role',
  TokenProviderError: 'the AWS sign-in has expired: run "aws sso login"',
};

/** Remedies by S3's error name, or by status if the answer has no body. */
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
