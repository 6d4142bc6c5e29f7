import type { S3Client } from '@aws-sdk/client-s3';
import type { BucketConnection } from './connection.ts';
import { BucketFailure, statusOf, storageFailed } from './failures.ts';

export interface ClientTools {
  /** How often a call is made at most, while its failures may pass. */
  readonly attempts: number;
  /** Milliseconds that the service may be silent. */
  readonly silence: number;
}

type Sdk = typeof import('@aws-sdk/client-s3');

/** The calls that are made to a bucket. */
export interface BucketClient {
  readonly label: string;
  /** What the SDK wants in front of each call. */
  readonly bucket: string;
  /**
   * Makes a call with the SDK, which is loaded at the first one; it repeats the call while its failures may pass.
   *
   * @throws ServiceError `storage_failed`, unless `ask` throws one of its own
   */
  call<T>(ask: (client: S3Client, sdk: Sdk) => Promise<T>): Promise<T>;
}

export function createClient(connection: BucketConnection, label: string, tools: ClientTools): BucketClient {
  let opened: Promise<{ readonly sdk: Sdk; readonly client: S3Client }> | undefined;
  const open = async () => {
    const sdk = await import('@aws-sdk/client-s3').catch((cause: unknown) => {
      throw new BucketFailure(MISSING, { cause });
    });
    return { sdk, client: new sdk.S3Client(settingsOf(connection, tools)) };
  };
  return {
    label,
    bucket: connection.bucket,
    async call(ask) {
      try {
        opened ??= open();
        const { sdk, client } = await opened;
        return await ask(client, sdk);
      } catch (error) {
        throw storageFailed(label, error);
      }
    },
  };
}

const MISSING =
  'this deployment was trimmed without what opens buckets: trim it with --buckets, or run "npm install @aws-sdk/client-s3 @aws-sdk/lib-storage"';

/** What the SDK is told. What it is not told it takes from the environment, as programs of AWS do. */
function settingsOf(connection: BucketConnection, { attempts, silence }: ClientTools) {
  const { endpoint, region, style, credentials, profile } = connection;
  return {
    maxAttempts: attempts,
    forcePathStyle: style === 'path',
    requestHandler: { connectionTimeout: silence, socketTimeout: silence },
    ...(region !== undefined && { region }),
    ...(credentials !== undefined && { credentials }),
    ...(profile !== undefined && { profile }),
    ...(endpoint !== undefined && { endpoint: endpoint.href, ...NO_CHECKSUMS }),
  };
}

/** Not all services that speak S3's API know the checksums that AWS has had since 2025; a signature covers the body too. */
const NO_CHECKSUMS = {
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
} as const;

/** What is written is of no type that browsers would show. */
export const CONTENT = { ContentType: 'application/octet-stream' } as const;

/** The ETag of lists and of headers alike: some services leave out its quotation marks in one of them. */
export const versionOf = (etag: string): string => etag.replace(/^"(.*)"$/s, '$1');

/** The answer, or undefined if its status is one of these. */
export async function unless<T>(statuses: readonly number[], answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (statuses.includes(statusOf(error) ?? 0)) return undefined;
    throw error;
  }
}
