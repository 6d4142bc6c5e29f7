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
    /** Length of the body in bytes; null if the body was not read. */
    chunksmithBytes: number | null;
  }
}

/**
 * Gives JSON bodies to routes as bytes, because the thread that does the work parses and checks the body.
 * The schemas of these routes are only documentation. Bodies may be compressed. They are charged to the byte
 * budget, and read to the end even if the request is refused.
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
    // Decompresses before charging, so that the decompressed size is charged.
    for (const policy of [contentEncoding, chargeBodies, lateBodies]) await app.register(policy);
  },
  { name: 'chunksmith-bytes-body' },
);

/** Bytes to copy before other requests get a turn. The first write to new memory is slow. */
const STRIDE = 2_097_152;

/**
 * Reads a body as bytes. Copies a large body in several turns of the event loop: Fastify's parser copies it
 * in one turn, which may take a tenth of a second or more.
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

/** Maximum bytes of an answer sent as a string, because Node writes a string and the headers together. */
const ONE_WRITE = 16_384;

/** Sends an answer of JSON. Frees the memory of a large answer once it is sent. */
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

/** Decompresses bodies by their `Content-Encoding`. The body limit applies to the decompressed size. */
const contentEncoding = plugin(
  async (app) => {
    app.addHook('preParsing', (request, reply, payload, done) => {
      const encoding = encodingOf(request);
      if (encoding === undefined) return done(null, payload);
      const create = DECODERS[encoding];
      if (create === undefined)
        return done(new ServiceError('unsupported_encoding', { received: JSON.stringify(encoding) }));
      // Ignores decoding errors of a request that was already refused.
      const decoder = hold(create());
      // Fastify compares `receivedEncodedLength` with Content-Length.
      Object.defineProperty(decoder, 'receivedEncodedLength', { get: () => decoder.bytesWritten });
      payload.pipe(decoder);
      // `pipeline` is not used: if decoding failed, it would destroy the request before the rest is read.
      finished(payload, (error) => error && decoder.destroy(error));
      reply.raw.once('close', () => decoder.destroy());
      done(null, decoder);
    });
  },
  { name: 'chunksmith-content-encoding' },
);

/** The encoding of a compressed body; undefined if the body is not compressed. */
export function encodingOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  return encoding === '' || encoding === 'identity' ? undefined : encoding;
}

export function isDecodingError(code: string): boolean {
  return /^(Z_|ERR__ERROR|ERR_BROTLI|ZSTD_)/.test(code);
}

/**
 * Charges bodies to the byte budget: their `Content-Length`, otherwise the bytes as they arrive. Streams of
 * lines are left out, because they charge their unanswered lines themselves.
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
  // If the body is compressed, Fastify compares `receivedEncodedLength` with Content-Length.
  return Object.defineProperty(meter, 'receivedEncodedLength', { get: () => payload.receivedEncodedLength });
}

/**
 * After an early answer, reads and drops the rest of the body, because some clients send everything before
 * they read the answer. Closes the connection if the client still sends at the request timeout.
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
  // Listens to the socket, because an answered request has no event for a closed connection.
  socket.once('close', settle);
  finished(request, settle);
  // Detaches earlier readers of the body, because they could stop its flow.
  request.unpipe();
  request.removeAllListeners('readable');
  request.resume();
}
