import { ServiceError } from '../../../../core/errors.ts';

/** A failure that is told as it is: by default, an answer came that is of no use. */
export class BucketFailure extends Error {
  constructor(problem = 'its answer is none of S3; check the endpoint', options?: ErrorOptions) {
    super(problem, options);
  }
}

/** What the SDK throws: of an answer with its status, or of a connection. */
interface SdkError extends Error {
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** The status of an answer that is no success; undefined if there was none. */
export const statusOf = (error: unknown): number | undefined => (error as SdkError).$metadata?.httpStatusCode;

/** A failure in words for callers, who see neither keys nor what the service says. */
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
    // A status without a body is called by the SDK what it likes.
    const said = /^[A-Z][A-Za-z]+$/.test(name) && name !== 'Unknown' && name !== 'UnknownError' ? name : '';
    const remedy = REMEDIES[said] ?? REMEDIES[status];
    return `it answered ${`${status} ${said}`.trim()}${remedy === undefined ? '' : `; ${remedy}`}`;
  }
  if (code !== undefined) return `the connection failed (${code}); check the endpoint and the network`;
  if (name === 'TimeoutError') return 'it was silent for too long; check the endpoint and the network';
  return /region/i.test(message) && status === undefined
    ? 'there is no region: give one'
    : new BucketFailure().message;
}

/** What the SDK says before anything is sent. */
const OURS: Readonly<Record<string, string>> = {
  CredentialsProviderError:
    'no key was found: give access_key_id and secret_access_key, or a profile or role to this machine',
  TokenProviderError: 'the sign-in of AWS has expired: run "aws sso login"',
};

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
