import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import type { Log } from '../../../core/contracts/collaborators.ts';
import { addTotals, logTotals, type Timings } from '../../engine/answer/response-metadata.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The amount of work, for the log; undefined if the request did no work. */
    chunksmithWork?: Pick<Timings, 'documents' | 'chunks' | 'totals'>;
  }
}

export const requestLog = plugin(
  async (app) => {
    app.addHook('onResponse', (request, reply, done) => {
      const { log, method, url, chunksmithBytes } = request;
      const { documents, chunks, totals = {} } = request.chunksmithWork ?? {};
      const counts = { bytes: chunksmithBytes ?? undefined, documents, chunks };
      logAnswered(log, { method, url, status: reply.statusCode, ...counts, ms: reply.elapsedTime });
      logTotals(log, totals);
      done();
    });
  },
  { name: 'chunksmith-request-log' },
);

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
 * Adds the amount of work to the log line of a request, and logs the timings of the work at `debug`. Call
 * this for each part of a stream.
 */
export function logWork(request: FastifyRequest, queueSeconds: number, timings: Timings): void {
  const { documents, chunks, totals, times, tokens } = timings;
  const before = request.chunksmithWork;
  request.chunksmithWork = {
    documents: (before?.documents ?? 0) + documents,
    chunks: (before?.chunks ?? 0) + chunks,
    totals: before === undefined ? totals : addTotals(before.totals, totals),
  };
  // Compares `level`, because every log has it, even the log of an app that mounts the service.
  if (request.log.level !== 'debug' && request.log.level !== 'trace') return;
  const stages = Object.fromEntries(times.map(({ stage, by, seconds }) => [`${stage} ${by}`, toMs(seconds)]));
  const opened = timings.opened.map(({ name }) => name);
  request.log.debug({ queueMs: toMs(queueSeconds), stages, tokens, opened }, 'worked');
}

function toMs(seconds: number): number {
  return Math.round(seconds * 1e6) / 1000;
}

const REQUEST_ID = /^[\w.:+/=@-]{1,128}$/;

/** The caller's `x-request-id` if it is safe to log, otherwise a new id. */
export function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

interface Answered {
  /** Id of the request; undefined if the log adds the id itself. */
  readonly reqId?: string;
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly bytes?: number | undefined;
  /** Number of texts, or of lists of chunks, in the request. */
  readonly documents?: number | undefined;
  readonly chunks?: number | undefined;
  readonly ms: number;
}

/** Logs a line for an answered request. Leaves out the query, because it may contain anything. */
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
