import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from '@fastify/cors';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import helmet from 'helmet';
import { ServiceError } from '../core/errors.ts';
import type { Config } from './config.ts';

/** Paths that load balancers and orchestrators ask without a key and as often as they like. */
const OPEN_PATHS = new Set(['/health', '/ready']);

type SecurityConfig = Pick<Config, 'apiKeys' | 'corsOrigins' | 'rateLimit'>;

/** Headers that browsers heed, and where they are set: CORS, a rate limit and keys. */
export async function secure(app: FastifyInstance, config: SecurityConfig): Promise<void> {
  const headers = headersOfHelmet();
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
  if (config.corsOrigins.length > 0) await allowOrigins(app, config.corsOrigins);
  if (config.rateLimit > 0) await limitRate(app, config.rateLimit);
  const keys = config.apiKeys.split(',').filter((key) => key.trim() !== '');
  if (keys.length > 0) requireKeys(app, keys);
}

/**
 * The headers that helmet sets, which are the same for every answer. To have it set them on each one costs a
 * tenth of what a thread can answer, and garbage that only a collection of the whole heap takes away.
 */
export function headersOfHelmet(): Record<string, string> {
  const headers: Record<string, string> = {};
  const answer = {
    setHeader(name: string, value: string) {
      headers[name.toLowerCase()] = value;
    },
    removeHeader() {},
  };
  const setHeaders = helmet({ contentSecurityPolicy: false, strictTransportSecurity: false });
  setHeaders({} as IncomingMessage, answer as unknown as ServerResponse, (error) => {
    if (error) throw error;
  });
  return headers;
}

async function allowOrigins(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  await app.register(cors, {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: ['*', 'etag', 'link', 'location', 'retry-after', 'x-next-cursor', 'x-request-id'],
    maxAge: 600,
  });
}

async function limitRate(app: FastifyInstance, limit: number): Promise<void> {
  await app.register(rateLimit, {
    max: limit,
    timeWindow: '1 minute',
    allowList: isOpen,
    errorResponseBuilder: (_request, { ttl }) =>
      new ServiceError('too_many_requests', { limit, seconds: Math.ceil(ttl / 1000) }),
  });
}

/** Compares digests, which are of one length, so that the time says nothing about the keys. */
function requireKeys(app: FastifyInstance, keys: readonly string[]): void {
  const known = keys.map((key) => digest(key.trim()));
  app.addHook('onRequest', async (request, reply) => {
    if (isOpen(request)) return;
    const [, given = ''] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? [];
    const received = digest(given);
    const fits = known.map((key) => timingSafeEqual(key, received));
    if (fits.includes(true)) return;
    reply.header('www-authenticate', 'Bearer');
    throw new ServiceError('unauthorized');
  });
}

function isOpen({ routeOptions, server }: FastifyRequest): boolean {
  const path = routeOptions.url ?? '';
  return OPEN_PATHS.has(path.slice(server.prefix.length)) || OPEN_PATHS.has(path);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
