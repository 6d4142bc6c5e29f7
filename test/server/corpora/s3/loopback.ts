import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createBucket } from '../../../../server/corpora/storage/s3/bucket.ts';
import type { BucketConnection } from '../../../../server/corpora/storage/settings.ts';
import type { Storage, StoredFile } from '../../../../server/corpora/storage/storage.ts';
import { startLoopback as listen } from '../../../support/loopback.ts';
import type { Cleanup } from '../../../support/server.ts';

/** A request as it came. */
export interface S3Request {
  readonly method: string;
  /** As it was sent. */
  readonly url: string;
  /** Without the bucket. */
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface S3Reply {
  readonly status: number;
  readonly headers?: IncomingHttpHeaders;
  readonly body?: Buffer | string;
}

/** What happens to one request instead of its answer. */
export type Fault =
  | { readonly reply: S3Reply }
  /** The answer ends after so many bytes of its body, and with it the connection. */
  | { readonly cutAfter: number }
  /** The request is carried out, but the connection ends without an answer. */
  | 'lost'
  /** No answer ever comes. */
  | 'silence'
  /** The answer comes once this is done. */
  | { readonly after: () => unknown };

export const ACCOUNT = {
  accessKeyId: 'AKIAEXAMPLE123456789',
  secretAccessKey: 'secret/+example',
};
const TOOLS = { attempts: 4, silence: 5000 };

/** @param answer what is answered where no fault happens */
export async function startLoopback(
  t: Cleanup,
  answer: (request: S3Request) => S3Reply | Promise<S3Reply>,
  { bucket = 'docs' }: { readonly bucket?: string } = {},
) {
  const requests: S3Request[] = [];
  const faults: { applies(request: S3Request): boolean; fault: Fault }[] = [];
  const origin = await listen(t, async (incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    const [path = '', search] = url.split('?');
    const body = await buffer(incoming);
    const key = decodeURIComponent(path).replace(`/${bucket}/`, '');
    const request = { method, url, key, query: new URLSearchParams(search), headers, body };
    requests.push(request);
    const found = faults.findIndex(({ applies }) => applies(request));
    const fault = found === -1 ? undefined : faults.splice(found, 1)[0]?.fault;
    await meet(fault, response, async () => answer(request));
  });
  const connection = (fields?: Partial<BucketConnection>): BucketConnection => ({
    name: 'archive',
    endpoint: new URL(origin).href,
    bucket,
    prefix: '',
    style: 'path',
    region: 'eu-central-1',
    credentials: ACCOUNT,
    ...fields,
  });
  return {
    origin,
    requests: requests as readonly S3Request[],
    /** Has a fault meet one request, the next one to which it applies. */
    fail: (applies: (request: S3Request) => boolean, fault: Fault) => void faults.push({ applies, fault }),
    connection,
    storage: (fields?: Partial<BucketConnection>, tools?: Parameters<typeof createBucket>[1]): Storage =>
      createBucket(connection(fields), { ...TOOLS, ...tools }),
  };
}

async function meet(
  fault: Fault | undefined,
  response: ServerResponse,
  answer: () => Promise<S3Reply>,
): Promise<void> {
  if (fault === 'silence') return;
  if (fault === 'lost') {
    await answer();
    return void response.destroy();
  }
  if (fault !== undefined && 'after' in fault) await fault.after();
  const isReply = fault !== undefined && 'reply' in fault;
  const { status, headers = {}, body = '' } = isReply ? fault.reply : await answer();
  response.writeHead(status, headers);
  if (fault === undefined || !('cutAfter' in fault)) return void response.end(body);
  response.write(Buffer.from(body).subarray(0, fault.cutAfter), () => response.destroy());
}

/** An error of S3. */
export const failure = (status: number, code: string): S3Reply => ({
  status,
  body: `<Error><Code>${code}</Code><Message>Words of the service.</Message></Error>`,
});

/** Whether a request has a method, and names in its query. */
export const is =
  (method: string, ...names: readonly string[]) =>
  (request: S3Request): boolean =>
    request.method === method && names.every((name) => request.query.has(name));

export async function contentOf(
  storage: Storage,
  file: StoredFile | undefined,
  range?: { readonly from: number; readonly to: number },
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  if (file !== undefined) for await (const piece of storage.read(file, range)) pieces.push(piece);
  return Buffer.concat(pieces);
}

export async function listed(storage: Storage, folder = ''): Promise<StoredFile[]> {
  const files: StoredFile[] = [];
  for await (const file of storage.list(folder)) files.push(file);
  return files;
}

export async function write(storage: Storage, name: string, ...pieces: readonly Uint8Array[]) {
  const writer = await storage.create(name);
  for (const piece of pieces) await writer.write(piece);
  return writer.finish();
}
