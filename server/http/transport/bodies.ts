import type { IncomingMessage } from 'node:http';
import { finished, pipeline, Transform } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import plugin from 'fastify-plugin';
import { invalid, ServiceError } from '../../../core/errors.ts';
import { hold } from '../../../core/hold.ts';
import { release } from '../../engine/memory.ts';
import { isStream } from './media.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes of the body; null if it was not read. */
    chunksmithBytes: number | null;
  }
}

/**
 * Gives the routes below it their JSON bodies as bytes: whoever does the work parses and checks them, perhaps in
 * another thread. The schemas of these routes are only for the documentation. Bodies may be compressed, are charged
 * to the byte budget, and are read to their ends even if they are refused.
 */
export const bytesBody = plugin<{ readonly limit: number }>(
  async (app, { limit }) => {
    app.removeAllContentTypeParsers();
    app.decorateRequest('chunksmithBytes', null);
    app.addContentTypeParser('application/json', readBody);
    app.addHook('onRoute', (route) => {
      route.bodyLimit = limit;
    });
    app.setValidatorCompiler(() => () => true);
    // Charged by decompressed size.
    for (const policy of [contentEncoding, chargeBodies, lateBodies]) await app.register(policy);
  },
  { name: 'chunksmith-bytes-body' },
);

/** Bytes that are copied before other requests are answered: memory that was never used is slow to write. */
const STRIDE = 2_097_152;

/**
 * Reads a body as bytes. Unlike Fastify's own parser, it does not join a large one at once, which blocks the event loop
 * for a tenth of a second and more.
 */
export function readBody(
  request: FastifyRequest,
  payload: RequestPayload,
  done: (error: Error | null, body?: Buffer) => void,
): void {
  const limit = request.routeOptions.bodyLimit ?? Number.POSITIVE_INFINITY;
  const announced = request.headers['content-length'];
  const parts: Buffer[] = [];
  let length = 0;
  let isSettled = false;
  const settle = (error: Error | null, body?: Buffer) => {
    payload.off('data', take).off('end', end);
    if (!isSettled) done(error, body);
    isSettled = true;
  };
  const take = (part: Buffer) => {
    length += part.length;
    if (Math.max(length, payload.receivedEncodedLength ?? 0) > limit)
      return settle(new ServiceError('body_too_large', { limit }));
    parts.push(part);
  };
  const end = () => {
    const received = payload.receivedEncodedLength || length;
    if (announced !== undefined && received !== Number(announced))
      return settle(invalid('the body is shorter than its Content-Length; send it whole'));
    request.chunksmithBytes = length;
    if (length <= STRIDE) settle(null, Buffer.concat(parts, length));
    else joined(parts, length).then((body) => settle(null, body), settle);
  };
  if (Number(announced) > limit) done(new ServiceError('body_too_large', { limit }));
  else
    hold(payload, (error) => settle(Object.assign(error, { statusCode: 400 })))
      .on('data', take)
      .on('end', end);
}

async function joined(parts: readonly Buffer[], length: number): Promise<Buffer> {
  const body = Buffer.allocUnsafeSlow(length);
  let at = 0;
  let pause = STRIDE;
  for (const part of parts) {
    at += part.copy(body, at);
    if (at < pause) continue;
    pause = at + STRIDE;
    await setImmediate();
  }
  return body;
}

export function bodyOf(request: FastifyRequest): Buffer {
  return (request.body ?? Buffer.alloc(0)) as Buffer;
}

/** Maximum bytes of an answer that is sent as a string, which Node writes together with the headers. */
const ONE_WRITE = 16_384;

/** Sends bytes of JSON and, if there are many, frees their memory once the connection is done with them. */
export function sendBytes(reply: FastifyReply, answer: Uint8Array<ArrayBuffer>): FastifyReply {
  reply.type('application/json; charset=utf-8');
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
  if (bytes.length <= ONE_WRITE) return reply.send(bytes.toString());
  reply.raw.once('close', () => release(answer));
  return reply.send(bytes);
}

const DECODERS: Readonly<Record<string, () => Transform & { readonly bytesWritten: number }>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/**
 * Decompresses the bodies of the routes below it, by their `Content-Encoding`. The body limit applies to the
 * decompressed size.
 */
const contentEncoding = plugin(
  async (app) => {
    app.addHook('preParsing', (request, reply, payload, done) => {
      const encoding = encodingOf(request);
      if (encoding === undefined) return done(null, payload);
      const create = DECODERS[encoding];
      if (create === undefined)
        return done(new ServiceError('unsupported_encoding', { received: JSON.stringify(encoding) }));
      // Decoding errors after the request was refused are ignored.
      const decoder = hold(create());
      // Fastify compares it with Content-Length.
      Object.defineProperty(decoder, 'receivedEncodedLength', { get: () => decoder.bytesWritten });
      payload.pipe(decoder);
      // Not a pipeline, which would destroy the request when the decoder fails, so that the rest could not be read.
      finished(payload, (error) => error && decoder.destroy(error));
      reply.raw.once('close', () => decoder.destroy());
      done(null, decoder);
    });
  },
  { name: 'chunksmith-content-encoding' },
);

/** How the body of a request is compressed; undefined if it is not. */
export function encodingOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  return encoding === '' || encoding === 'identity' ? undefined : encoding;
}

/** Whether an error code is one of the decoders'. */
export function isDecodingError(code: string): boolean {
  return /^(Z_|ERR__ERROR|ERR_BROTLI|ZSTD_)/.test(code);
}

/**
 * Charges the bodies of the routes below it to the budget: by `Content-Length`, else as they arrive. Streams charge
 * what they have read and not answered themselves.
 */
const chargeBodies = plugin(
  async (app) => {
    const { byteBudget } = app.chunksmith;
    app.addHook('preParsing', (request, reply, payload, done) => {
      if (isStream(request)) return done(null, payload);
      let charged = 0;
      const charge = (bytes: number) => {
        byteBudget.take(bytes);
        charged += bytes;
      };
      reply.raw.once('close', () => byteBudget.giveBack(charged));
      const announced = announcedLength(request);
      if (announced === undefined) return done(null, metered(payload, charge));
      try {
        charge(announced);
      } catch (error) {
        return done(error as Error);
      }
      done(null, payload);
    });
  },
  { name: 'chunksmith-byte-budget', dependencies: ['chunksmith-services'] },
);

function announcedLength({ headers, routeOptions }: FastifyRequest): number | undefined {
  if (headers['content-encoding'] !== undefined) return undefined;
  const length = headers['content-length'];
  if (length === undefined) return headers['transfer-encoding'] === undefined ? 0 : undefined;
  return Math.min(Number(length), routeOptions.bodyLimit ?? Number.POSITIVE_INFINITY);
}

/** The same body, charged as it arrives. */
function metered(payload: RequestPayload, charge: (bytes: number) => void): RequestPayload {
  const meter = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      try {
        charge(chunk.byteLength);
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });
  pipeline(payload, meter, () => {});
  // For a compressed body, Fastify compares this with Content-Length.
  return Object.defineProperty(meter, 'receivedEncodedLength', { get: () => payload.receivedEncodedLength });
}

/**
 * Reads and drops the rest of bodies whose requests are already answered, so that a client that reads only after
 * sending everything gets its answer. A client still sending at the request timeout loses the connection.
 */
const lateBodies = plugin(
  async (app) => {
    const { requestTimeout } = app.chunksmith.config;
    app.addHook('onResponse', ({ raw }, _reply, done) => {
      if (!raw.complete && !raw.destroyed) dropRest(raw, requestTimeout * 1000);
      done();
    });
  },
  { name: 'chunksmith-late-bodies', dependencies: ['chunksmith-services'] },
);

function dropRest(request: IncomingMessage, milliseconds: number): void {
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), milliseconds);
  const settle = () => {
    clearTimeout(timer);
    socket.off('close', settle);
  };
  // An answered request is not notified when its connection closes.
  socket.once('close', settle);
  finished(request, settle);
  // An earlier reader must not hold it up.
  request.unpipe();
  request.removeAllListeners('readable');
  request.resume();
}
