import { createHash } from 'node:crypto';
import { type IncomingMessage, Agent as PlainAgent, request as requestPlain } from 'node:http';
import { request, Agent as TlsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { AwsV4Signer } from 'aws4fetch';
import { hold } from '../../../core/hold.ts';
import type { BucketConnection } from './connection.ts';
import { ConnectionFailure } from './failures.ts';
import { encode, encodePath } from './keys.ts';

/** A request about a bucket, or about one of its objects. */
export interface S3Call {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
}

export interface SendTools {
  /** Milliseconds that the service may be silent. */
  readonly silence: number;
  /** Finds the addresses of hosts; by default that of the system. */
  readonly lookup?: LookupFunction;
}

/**
 * Signs a request and sends it once. The answer is not read, whatever its status.
 *
 * It is not `fetch`, which decodes bodies by their Content-Encoding, so that ranges and sizes would be those of other
 * bytes than the object's, and follows redirections, for which a signature is wrong.
 */
export type Send = (call: S3Call) => Promise<IncomingMessage>;

export function createSend(connection: BucketConnection, { silence, lookup }: SendTools): Send {
  const base = addressOf(connection);
  const isTls = base.startsWith('https:');
  const Agent = isTls ? TlsAgent : PlainAgent;
  const agent = new Agent({ keepAlive: true, ...(lookup !== undefined && { lookup }) });
  const sign = createSign(connection, isTls);
  return async (call) => {
    const url = new URL(base + pathOf(call));
    const headers = await sign(url, call);
    const { method, body, signal } = call;
    return new Promise((resolve, reject) => {
      const options = { method, headers, agent, ...(signal !== undefined && { signal }) };
      const sent = hold((isTls ? request : requestPlain)(url, options, resolve), reject);
      sent.setTimeout(silence, () => sent.destroy(silent(silence)));
      sent.end(body);
    });
  };
}

const silent = (milliseconds: number) =>
  new ConnectionFailure(`it was silent for longer than ${milliseconds / 1000} s`);

/** The address of a bucket, without a slash at its end. */
function addressOf({ endpoint, bucket, style }: BucketConnection): string {
  const path = endpoint.pathname.replace(/\/+$/, '');
  return style === 'host'
    ? `${endpoint.protocol}//${bucket}.${endpoint.host}${path}`
    : `${endpoint.origin}${path}/${encode(bucket)}`;
}

/** Written as it is signed, so that no service reads another path than it checks. */
function pathOf({ key, query = {} }: S3Call): string {
  const search = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return `/${key === undefined ? '' : encodePath(key)}${search.length === 0 ? '' : `?${search.join('&')}`}`;
}

type Sign = (url: URL, call: S3Call) => Promise<Record<string, string>>;

type Account = Pick<BucketConnection, 'accessKeyId' | 'secretAccessKey' | 'sessionToken' | 'region'>;

export function createSign(connection: Account, isTls: boolean): Sign {
  const { accessKeyId, secretAccessKey, sessionToken, region } = connection;
  const account = {
    accessKeyId,
    secretAccessKey,
    region,
    ...(sessionToken !== undefined && { sessionToken }),
  };
  const cache = new Map<string, ArrayBuffer>();
  return async (url, { method, headers, body }) => {
    const content = { 'x-amz-content-sha256': hashOf(body, isTls) };
    const signer = new AwsV4Signer({
      ...account,
      service: 's3',
      cache,
      method,
      url: url.href,
      headers: { ...headers, ...content },
    });
    return Object.fromEntries((await signer.sign()).headers);
  };
}

/** TLS keeps a body from being changed on its way; without it the body is signed too. */
function hashOf(body: Uint8Array | undefined, isTls: boolean): string {
  if (body !== undefined && isTls) return 'UNSIGNED-PAYLOAD';
  return createHash('sha256')
    .update(body ?? '')
    .digest('hex');
}
