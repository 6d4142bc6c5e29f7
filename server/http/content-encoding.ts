import { finished, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { ServiceError } from '../../core/errors.ts';
import { hold } from '../../core/hold.ts';

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/**
 * Decompresses the bodies of the routes below it, by their `Content-Encoding`. The limit of a body holds for what
 * comes out.
 */
export const contentEncoding = plugin(
  async (app) => {
    app.addHook('preParsing', (request, reply, payload, done) => {
      const encoding = encodingOf(request);
      if (encoding === undefined) return done(null, payload);
      const create = DECODERS[encoding];
      if (create === undefined)
        return done(new ServiceError('unsupported_encoding', { received: JSON.stringify(encoding) }));
      // What it cannot read after the request was refused is told to nobody any more.
      const decoder = hold(create());
      // Fastify holds it against Content-Length.
      Object.defineProperty(decoder, 'receivedEncodedLength', { get: () => bytesInto(decoder) });
      payload.pipe(decoder);
      // Not a pipeline, which would destroy the request when the decoder fails, and with it the way to read the rest.
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

/** Whether the code of an error is one of the decoders'. */
export function isDecodingError(code: string): boolean {
  return /^(Z_|ERR__ERROR|ERR_BROTLI|ZSTD_)/.test(code);
}

function bytesInto(decoder: Transform): number {
  return (decoder as unknown as { readonly bytesWritten: number }).bytesWritten;
}
