import { EventEmitter, once } from 'node:events';
import { pipeline, Transform } from 'node:stream';
import type { FastifyRequest, RequestPayload } from 'fastify';
import plugin from 'fastify-plugin';
import { ServiceError } from '../../core/errors.ts';
import { isStream } from './streams/media.ts';

/** Limits the bytes of all request bodies in flight together, from when they arrive until they are answered. */
export interface ByteBudget {
  /** @throws ServiceError `too_much_in_flight` */
  take(bytes: number): void;
  giveBack(bytes: number): void;
  /**
   * Waits until there is room for one who holds some bytes already; there always is if all are its own.
   *
   * @throws ServiceError `too_much_in_flight` after so many seconds, as all may wait for each other
   * @throws once the signal aborts
   */
  room(own: number, seconds: number, signal: AbortSignal): Promise<void>;
  /** Takes bytes although there may be no room; for streams, which wait for room before they read more. */
  force(bytes: number): void;
  readonly taken: number;
}

/** Seconds after which a refused client may try again. */
const RETRY_SECONDS = 1;

export function createByteBudget(limit: number): ByteBudget {
  let taken = 0;
  const freed = new EventEmitter().setMaxListeners(0);
  const fullError = (bytes: number) =>
    new ServiceError('too_much_in_flight', { bytes, limit, seconds: RETRY_SECONDS });
  return {
    async room(own, seconds, signal) {
      const isFull = () => taken >= limit && taken > own;
      if (!isFull()) return;
      const late = AbortSignal.timeout(seconds * 1000);
      const either = AbortSignal.any([signal, late]);
      while (isFull()) {
        await once(freed, 'freed', { signal: either }).catch((error: unknown) => {
          throw late.aborted && !signal.aborted ? fullError(taken) : error;
        });
      }
    },
    force(bytes) {
      taken += bytes;
    },
    take(bytes) {
      const wanted = taken + bytes;
      // A single body has its own limit.
      if (wanted > limit && taken > 0) throw fullError(wanted);
      taken = wanted;
    },
    giveBack(bytes) {
      taken -= bytes;
      freed.emit('freed');
    },
    get taken() {
      return taken;
    },
  };
}

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
