import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import createRouter, { type HTTPVersion, type Instance } from 'find-my-way';
import { logAnswered, requestId } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { OVERLOADED } from '../run/overloaded.ts';
import type { Runner } from '../run/runner.ts';
import { headersOfHelmet } from '../security.ts';

/** What answers requests before the framework sees them; it says whether it did. */
export type Door = (request: IncomingMessage, answer: ServerResponse) => boolean;

/** Paths of requests that wait in a queue. */
export type QueuedPaths = Instance<HTTPVersion.V1>;

/**
 * Turns requests away before their bodies are read, while the queue that they would come to is full.
 *
 * @returns the paths of the routes that are added to the app from now on
 */
export function refuseWhileFull(app: FastifyInstance, runner: Runner): QueuedPaths {
  const paths = createRouter({ ignoreTrailingSlash: true });
  app.addHook('onRoute', ({ method, url }) => {
    if (method === 'POST') paths.on('POST', url, () => {}, url);
  });
  app.addHook('onRequest', async ({ raw }) => {
    if (isRefused(raw, runner)) throw OVERLOADED;
  });
  return paths;
}

/**
 * A door that turns away what `refuseWhileFull` does, in two thirds of the time: under a flood the thread that
 * reads the connections does little else, and `/health` waits behind it. Requests of web pages pass, as their
 * answers need headers that depend on the page. Keys and rate limits are not looked at.
 */
export function createDoor(app: FastifyInstance, paths: QueuedPaths, runner: Runner, metrics: Metrics): Door {
  const body = JSON.stringify({ detail: OVERLOADED.detail });
  const fixed = Object.entries({
    ...headersOfHelmet(),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'retry-after': String(OVERLOADED.retryAfter),
  }).flat();
  return (request, answer) => {
    if (!isRefused(request, runner) || request.headers.origin !== undefined) return false;
    const { method = '', url = '' } = request;
    const route = method === 'POST' ? paths.find(method, url) : null;
    // A server that closes has the framework end its connections.
    if (route === null || !app.server.listening) return false;
    const began = performance.now();
    const reqId = requestId(request);
    answer.writeHead(OVERLOADED.status, [...fixed, 'x-request-id', reqId]);
    answer.end(body);
    const ms = performance.now() - began;
    metrics.answered(route.store as string, method, OVERLOADED.status, ms / 1000);
    logAnswered(app.log, { reqId, method, url, status: OVERLOADED.status, ms });
    return true;
  };
}

function isRefused({ headers }: IncomingMessage, runner: Runner): boolean {
  const length = headers['content-length'];
  return length !== undefined && runner.isFullFor(Number(length));
}
