import type { IncomingMessage, ServerResponse } from 'node:http';
import plugin from 'fastify-plugin';
import type { Log } from '../../../core/contracts/collaborators.ts';
import { OVERLOADED } from '../../engine/run/priority-queue.ts';
import type { Runner } from '../../engine/run/runner.ts';
import { errorAnswerOf } from './error-handler.ts';
import type { Metrics } from './metrics.ts';
import { logAnswered, requestId, withoutQuery } from './request-log.ts';
import { FIXED_HEADERS } from './security.ts';

export type Admission = ReturnType<typeof createAdmission>;

/**
 * Admission control: if the queue is full, rejects a request with 503 and `Retry-After` before the body is
 * read.
 */
export function createAdmission({
  runner,
  metrics,
  log,
}: {
  readonly runner: Runner;
  readonly metrics: Metrics;
  readonly log: Log;
}) {
  const routes = new QueuedRoutes();
  const { status, headers, body } = errorAnswerOf(OVERLOADED);
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  const fixed = Object.entries({ ...FIXED_HEADERS, ...headers, ...length }).flat();
  let isStopped = false;

  function refuses({ 'content-length': length }: IncomingMessage['headers']): boolean {
    return length !== undefined && runner.isFullFor(Number(length));
  }

  /**
   * Rejects a request without Fastify if the queue is full, before keys and rate limits are checked. Refusing
   * in Fastify would be slow, and would delay `/health` under overload. Requests of web pages are left to
   * Fastify, because their answers need CORS headers.
   *
   * @returns whether the request was rejected
   */
  function answers(request: IncomingMessage, response: ServerResponse): boolean {
    if (isStopped || request.headers.origin !== undefined || !refuses(request.headers)) return false;
    const { method = '', url = '' } = request;
    const route = method === 'POST' ? routes.find(url) : undefined;
    if (route === undefined) return false;
    const began = performance.now();
    const reqId = requestId(request);
    response.writeHead(status, [...fixed, 'x-request-id', reqId]);
    response.end(body);
    const ms = performance.now() - began;
    metrics.answered(route, method, status, ms / 1000);
    logAnswered(log, { reqId, method, url, status, ms });
    return true;
  }

  /** Leaves all further requests to Fastify, because it closes connections during a graceful shutdown. */
  function stop(): void {
    isStopped = true;
  }

  return { refuses, answers, stop, addRoute: (route: string) => routes.add(route) };
}

class QueuedRoutes {
  readonly #exact = new Set<string>();
  readonly #patterns: (readonly [pattern: RegExp, route: string])[] = [];

  add(route: string): void {
    if (!route.includes(':')) this.#exact.add(route);
    else this.#patterns.push([new RegExp(`^${route.replace(/:\w+/g, '[^/]+')}$`), route]);
  }

  find(url: string): string | undefined {
    const given = withoutQuery(url);
    const path = given.endsWith('/') ? given.slice(0, -1) : given;
    if (this.#exact.has(path)) return path;
    return this.#patterns.find(([pattern]) => pattern.test(path))?.[1];
  }
}

/** Applies admission control within Fastify, for requests that `Admission.answers` does not reject. */
export const admissionHook = plugin(
  async (app) => {
    const { admission } = app.chunksmith;
    app.addHook('onRoute', ({ method, url }) => {
      if (method === 'POST') admission.addRoute(url);
    });
    app.addHook('onRequest', ({ headers }, _reply, done) => {
      done(admission.refuses(headers) ? OVERLOADED : undefined);
    });
  },
  { name: 'chunksmith-admission', dependencies: ['chunksmith-services'] },
);
