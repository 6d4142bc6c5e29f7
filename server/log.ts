import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isMainThread } from 'node:worker_threads';
import type { FastifyBaseLogger } from 'fastify';
import pino, { type Logger } from 'pino';

const LEVELS: Readonly<Record<string, string>> = { warning: 'warn' };

/**
 * JSON lines on standard output. The main thread writes them while it goes on; a worker thread writes at
 * once, because it can be ended at any time.
 */
export function createLog(level: string): Logger {
  return pino({ level: LEVELS[level] ?? level }, pino.destination({ dest: 1, sync: !isMainThread }));
}

const REQUEST_ID = /^[\w.:+/=@-]{1,128}$/;

/** The id that the caller gave in `x-request-id`, where it is one that can be logged, else a new one. */
export function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

interface Answered {
  /** Where the log does not know it by itself. */
  readonly reqId?: string;
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly ms: number;
}

/** One line for each request; without the query, which may hold anything. */
export function logAnswered(log: FastifyBaseLogger, { url, status, ms, ...known }: Answered): void {
  log.info({ ...known, path: url.split('?')[0], status, ms: Math.round(ms * 10) / 10 }, 'answered');
}
