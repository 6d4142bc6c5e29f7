import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createBucket } from '../../server/corpus/s3/bucket.ts';
import type { BucketConnection } from '../../server/corpus/s3/connection.ts';
import type { Storage } from '../../server/corpus/storage.ts';
import { failure, S3Objects, type S3Reply, type S3Request } from './s3-objects.ts';
import { signatureProblem } from './s3-signature.ts';
import type { Cleanup } from './server.ts';

/** What happens to one request instead of its answer. */
export type Fault =
  | { readonly reply: S3Reply }
  /** The answer ends after so many bytes of its body, and with it the connection. */
  | { readonly cutAfter: number }
  /** What is asked for is done, but the connection ends without an answer. */
  | 'lost'
  /** No answer ever comes. */
  | 'silence'
  /** The answer comes once this is done. */
  | { readonly after: () => Promise<void> | void };

/** A service on loopback with one bucket. */
export interface S3Service {
  readonly origin: string;
  readonly bucket: S3Objects;
  /** The requests that came, in order. */
  readonly requests: readonly S3Request[];
  /** Has a fault meet one request, the next one to which it applies. */
  fail(applies: (request: S3Request) => boolean, fault: Fault): void;
  /** A connection to the bucket. */
  connection(fields?: Partial<BucketConnection>): BucketConnection;
  /** A storage that tries again at once, and sends what is larger than 100 bytes in parts. */
  storage(fields?: Partial<BucketConnection>, tools?: Parameters<typeof createBucket>[1]): Storage;
}

const ACCOUNT = { accessKeyId: 'AKEXAMPLE', secretAccessKey: 'secret/+example', region: 'eu-central-1' };
const TOOLS = { limits: { retries: 3, firstDelay: 1, longestDelay: 5 }, partBytes: 100, silence: 5000 };

interface S3Options {
  readonly pageSize?: number;
  readonly sessionToken?: string;
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** Starts the service. It computes every signature itself, and refuses requests whose own is another. */
export async function startS3(
  t: Cleanup,
  { pageSize = 3, tls, sessionToken }: S3Options = {},
): Promise<S3Service> {
  const bucket = new S3Objects({ pageSize, leastPart: TOOLS.partBytes });
  const account = { ...ACCOUNT, ...(sessionToken !== undefined && { sessionToken }) };
  const requests: S3Request[] = [];
  const faults: { applies(request: S3Request): boolean; fault: Fault }[] = [];
  const listener: RequestListener = async (incoming, response) => {
    const body = await buffer(incoming);
    const problem = signatureProblem(incoming, body, account, tls !== undefined);
    if (problem !== undefined) return send(response, failure(403, problem));
    const request = requestOf(incoming, body);
    if (request === undefined) return send(response, failure(404, 'NoSuchBucket'));
    requests.push(request);
    const found = faults.findIndex(({ applies }) => applies(request));
    const fault = found === -1 ? undefined : faults.splice(found, 1)[0]?.fault;
    await meet(fault, response, () => bucket.answer(request));
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection: S3Service['connection'] = (fields) => ({
    name: 'archive',
    endpoint: new URL(origin),
    bucket: 'docs',
    prefix: '',
    style: 'path',
    ...account,
    ...fields,
  });
  return {
    origin,
    bucket,
    requests,
    fail: (applies, fault) => void faults.push({ applies, fault }),
    connection,
    storage: (fields, tools) => createBucket(connection(fields), { ...TOOLS, ...tools }),
  };
}

/** Reads `/docs/<key>`, and `/<key>` of the host `docs.…`; undefined if it is about another bucket. */
function requestOf({ url = '', method = '', headers }: IncomingMessage, body: Buffer): S3Request | undefined {
  const [path = '', search = ''] = url.split('?');
  const whole = headers.host?.startsWith('docs.') === true ? `/docs${path}` : path;
  const [, bucket, ...key] = decodeURIComponent(whole).split('/');
  if (bucket !== 'docs') return undefined;
  const pairs = search.split('&').filter(Boolean);
  const query = pairs.map((pair): [string, string] => {
    const [name = '', value = ''] = pair.split('=');
    return [decodeURIComponent(name), decodeURIComponent(value)];
  });
  return { method, key: key.join('/'), query: new Map(query), headers, body };
}

async function meet(
  fault: Fault | undefined,
  response: ServerResponse,
  answer: () => S3Reply,
): Promise<void> {
  if (fault === 'silence') return;
  if (fault === 'lost') {
    answer();
    return void response.destroy();
  }
  if (fault !== undefined && 'after' in fault) await fault.after();
  if (fault === undefined || 'after' in fault) return send(response, answer());
  if ('reply' in fault) return send(response, fault.reply);
  const { status, headers, body = '' } = answer();
  const content = Buffer.from(body);
  response.writeHead(status, { ...headers, 'content-length': content.length });
  response.write(content.subarray(0, fault.cutAfter), () => response.destroy());
}

function send(response: ServerResponse, { status, headers, body }: S3Reply): void {
  response.writeHead(status, headers).end(body);
}
