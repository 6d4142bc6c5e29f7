import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import plugin from 'fastify-plugin';
import type { Log } from '../../core/contracts/collaborators.ts';

/** Logs a line for each request that is answered. */
export const requestLog = plugin(
  async (app) => {
    app.addHook('onResponse', async (request, reply) => {
      const { log, method, url } = request;
      logAnswered(log, { method, url, status: reply.statusCode, ms: reply.elapsedTime });
    });
  },
  { name: 'chunksmith-request-log' },
);

/** Counts each request that is answered, for `/metrics`. */
export const requestMetrics = plugin(
  async (app) => {
    const { metrics } = app.chunksmith;
    app.addHook('onResponse', async ({ routeOptions, method }, reply) => {
      metrics.answered(routeOptions.url ?? 'unknown', method, reply.statusCode, reply.elapsedTime / 1000);
    });
  },
  { name: 'chunksmith-request-metrics', dependencies: ['chunksmith-services'] },
);

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
  readonly ms: number;
}

/** Logs a line for an answered request; without the query, which may contain anything. */
export function logAnswered(log: Log, { url, status, ms, ...known }: Answered): void {
  log.info({ ...known, path: url.split('?')[0], status, ms: Math.round(ms * 10) / 10 }, 'answered');
}
