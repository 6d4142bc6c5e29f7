import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import type { Log } from '../../../core/contracts/collaborators.ts';
import type { Timings } from '../../engine/answer/response-metadata.ts';
import { addTotals, logTotals } from '../../engine/answer/response-metadata.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The amount of work, for its line in the log; missing if there was none. */
    chunksmithWork?: Pick<Timings, 'documents' | 'chunks' | 'vectors'>;
  }
}

export const requestLog = plugin(
  async (app) => {
    app.addHook('onResponse', (request, reply, done) => {
      const { log, method, url, chunksmithBytes } = request;
      const { documents, chunks, vectors = {} } = request.chunksmithWork ?? {};
      const counts = { bytes: chunksmithBytes ?? undefined, documents, chunks };
      logAnswered(log, { method, url, status: reply.statusCode, ...counts, ms: reply.elapsedTime });
      logTotals(log, vectors);
      done();
    });
  },
  { name: 'chunksmith-request-log' },
);

/** Counts each request that is answered, for `/metrics`. */
export const requestMetrics = plugin(
  async (app) => {
    const { metrics } = app.chunksmith;
    app.addHook('onResponse', ({ routeOptions, method }, reply, done) => {
      metrics.answered(routeOptions.url ?? 'unknown', method, reply.statusCode, reply.elapsedTime / 1000);
      done();
    });
  },
  { name: 'chunksmith-request-metrics', dependencies: ['chunksmith-services'] },
);

/**
 * Adds the amount of work to the log line of a request, and logs at `debug` where its time went. A stream consists of
 * many such pieces of work.
 */
export function logWork(request: FastifyRequest, queueSeconds: number, timings: Timings): void {
  const { documents, chunks, vectors, times, tokens } = timings;
  const before = request.chunksmithWork;
  request.chunksmithWork = {
    documents: (before?.documents ?? 0) + documents,
    chunks: (before?.chunks ?? 0) + chunks,
    vectors: before === undefined ? vectors : addTotals(before.vectors, vectors),
  };
  // By the level, which the log of an app that mounts the service has too.
  if (request.log.level !== 'debug' && request.log.level !== 'trace') return;
  const stages = Object.fromEntries(times.map(({ stage, by, seconds }) => [`${stage} ${by}`, toMs(seconds)]));
  const opened = timings.opened.map(({ name }) => name);
  request.log.debug({ queueMs: toMs(queueSeconds), stages, tokens, opened }, 'worked');
}

function toMs(seconds: number): number {
  return Math.round(seconds * 1e6) / 1000;
}

const REQUEST_ID = /^[\w.:+/=@-]{1,128}$/;

/** The id that the caller gave in `x-request-id`, if it is safe to log, else a new one. */
export function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

interface Answered {
  /** Given if the log is not that of the request, which adds it by itself. */
  readonly reqId?: string;
  readonly method: string;
  readonly url: string;
  readonly status: number;
  /** Bytes of the body that was read. */
  readonly bytes?: number | undefined;
  /** Texts, or lists of chunks, of a processed request. */
  readonly documents?: number | undefined;
  /** Chunks of its answer. */
  readonly chunks?: number | undefined;
  readonly ms: number;
}

/** Logs a line for an answered request; without the query, which may contain anything. */
export function logAnswered(log: Log, { reqId, method, url, status, ms, ...sizes }: Answered): void {
  const id = reqId === undefined ? {} : { reqId };
  log.info(
    { ...id, method, path: withoutQuery(url), status, ...sizes, ms: Math.round(ms * 10) / 10 },
    'answered',
  );
}

export function withoutQuery(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}
