import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startServerProgram } from '../../../../servers/servers.ts';
import type { Cleanup } from '../../../../support/server.ts';
import { type S3Reply, type S3Request, startLoopback } from '../loopback.ts';

type Options = Parameters<typeof startLoopback>[2];

/** Pages of three keys. */
const LIMITS = { MOTO_S3_DEFAULT_MAX_KEYS: '3' };

/** A service that speaks S3's API, and that nobody here wrote. */
export async function startMoto(t: Cleanup) {
  const command = ['python3', '/usr/bin/moto_server', '-p', '0'];
  const ready = /Running on (http:\S+:\d+)/;
  const { said } = await startServerProgram(t, { command, ready, env: LIMITS });
  const [, origin = ''] = said;
  let buckets = 0;
  return {
    origin,
    /** A new bucket behind a proxy. */
    async open(t: Cleanup, options?: Options) {
      const bucket = `docs-${++buckets}`;
      const call = async (method: string, path = '', given?: Buffer | string) => {
        const body = given === undefined ? null : new Uint8Array(Buffer.from(given));
        const answer = await fetch(`${origin}/${bucket}${path}`, { method, body, headers: SIGNED });
        if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
        return Buffer.from(await answer.arrayBuffer());
      };
      await call('PUT');
      const found = async (query: string, name: string) =>
        [...`${await call('GET', query)}`.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(
          ([, text = '']) => text,
        );
      return {
        ...(await startLoopback(t, forwardTo(new URL(origin)), { bucket, ...options })),
        put: (key: string, content: Buffer | string) => call('PUT', `/${encodeURIComponent(key)}`, content),
        get: (key: string) => call('GET', `/${encodeURIComponent(key)}`),
        keys: () => found('?list-type=2&max-keys=1000', 'Key'),
        /** How many uploads are not finished. */
        uploads: async () => (await found('?uploads', 'UploadId')).length,
      };
    },
  };
}

/** A signature that nobody checks. */
const SIGNED = {
  authorization:
    'AWS4-HMAC-SHA256 Credential=none/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=none',
};

function forwardTo({ hostname, port }: URL) {
  return ({ method, url, headers, body }: S3Request): Promise<S3Reply> =>
    new Promise((resolve, reject) => {
      const answer = async (response: IncomingMessage) => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, body: await buffer(response) });
      };
      request({ hostname, port, path: url, method, headers }, answer).on('error', reject).end(body);
    });
}
