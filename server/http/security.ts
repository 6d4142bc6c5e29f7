import { createHash, timingSafeEqual } from 'node:crypto';
import cors from '@fastify/cors';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { ServiceError } from '../../core/errors.ts';
import type { Config } from '../config/config.ts';

/** Paths without key and rate limit, for load balancers and orchestrators. */
const OPEN_PATHS = new Set(['/health', '/ready']);

/**
 * Security headers of every answer: helmet's defaults without Content-Security-Policy, which the pages of the
 * documentation set themselves, and without HSTS, which belongs to whatever terminates TLS.
 */
export const FIXED_HEADERS: Readonly<Record<string, string>> = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};

/** Adds the security headers and, if they are configured, CORS, the rate limit and the check of keys. */
export const security = plugin(
  async (app) => {
    const { corsOrigins, rateLimit, apiKeys } = app.chunksmith.config;
    const keys = keysOf(apiKeys);
    app.addHook('onRequest', async (request, reply) => {
      reply.header('x-request-id', request.id);
      reply.headers(FIXED_HEADERS);
    });
    if (corsOrigins.length > 0) await allowOrigins(app, corsOrigins);
    if (rateLimit > 0) await limitRate(app, rateLimit);
    if (keys.length > 0) requireKeys(app, keys);
  },
  { name: 'chunksmith-security', dependencies: ['chunksmith-services', 'chunksmith-error-handler'] },
);

/** The statuses by which keys and a rate limit, if they are set, refuse requests to a path. */
export function refusalStatuses({ apiKeys, rateLimit }: Config, prefix: string, path: string): number[] {
  if (isOpenPath(prefix, path)) return [];
  return [...(keysOf(apiKeys).length > 0 ? [401] : []), ...(rateLimit > 0 ? [429] : [])];
}

function keysOf(apiKeys: string): string[] {
  return apiKeys
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
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

/** Compares digests, which all have the same length, so that the time taken reveals nothing about the keys. */
function requireKeys(app: FastifyInstance, keys: readonly string[]): void {
  const known = keys.map((key) => digest(key));
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
  return isOpenPath(server.prefix, routeOptions.url ?? '');
}

function isOpenPath(prefix: string, path: string): boolean {
  return OPEN_PATHS.has(path.slice(prefix.length)) || OPEN_PATHS.has(path);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
