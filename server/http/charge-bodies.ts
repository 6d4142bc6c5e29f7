import { pipeline, Transform } from 'node:stream';
import type { FastifyRequest, RequestPayload } from 'fastify';
import plugin from 'fastify-plugin';
import { isStream } from './streams/media.ts';

/**
 * Charges the bodies of the routes below it to the budget: by `Content-Length`, else as they arrive. Streams charge
 * what they have read and not answered themselves.
 */
export const chargeBodies = plugin(
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
  // Of a compressed body, Fastify holds this against Content-Length.
  return Object.defineProperty(meter, 'receivedEncodedLength', { get: () => payload.receivedEncodedLength });
}
