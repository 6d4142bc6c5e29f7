import type { FastifyReply, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { release } from '../wire/release.ts';
import { chargeBodies } from './charge-bodies.ts';
import { contentEncoding } from './content-encoding.ts';
import { lateBodies } from './late-bodies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes of the body; null if it was not read. */
    chunksmithBytes: number | null;
  }
}

/**
 * Gives the routes below it their JSON bodies as bytes: whoever does the work parses and checks them, perhaps
 * another thread. The schemas of these routes are for the documentation only. Bodies may be compressed, are charged
 * to the byte budget, and are read to their ends even if they are refused.
 */
export const bytesBody = plugin<{ readonly limit: number }>(
  async (app, { limit }) => {
    app.removeAllContentTypeParsers();
    app.decorateRequest('chunksmithBytes', null);
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
      request.chunksmithBytes = body.length;
      done(null, body);
    });
    app.addHook('onRoute', (route) => {
      route.bodyLimit = limit;
    });
    app.setValidatorCompiler(() => () => true);
    // What comes out of a compressed body is what is charged.
    for (const policy of [contentEncoding, chargeBodies, lateBodies]) await app.register(policy);
  },
  { name: 'chunksmith-bytes-body' },
);

/** The bytes of a request's body. */
export function bodyOf(request: FastifyRequest): Buffer {
  return (request.body ?? Buffer.alloc(0)) as Buffer;
}

/** Most bytes of an answer that is sent as a string, which Node writes together with the headers. */
const ONE_WRITE = 16_384;

/** Sends bytes of JSON and, if they are many, frees their memory once the connection is done with them. */
export function sendBytes(reply: FastifyReply, answer: Uint8Array<ArrayBuffer>): FastifyReply {
  reply.type('application/json; charset=utf-8');
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
  if (bytes.length <= ONE_WRITE) return reply.send(bytes.toString());
  reply.raw.once('close', () => release(answer));
  return reply.send(bytes);
}
