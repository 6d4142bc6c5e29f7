import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { invalid, ServiceError } from '../../../core/errors.ts';
import { type AccessConfig, asksForKeys, failedKeyLimitOf, readKeys } from '../../config/access.ts';
import { clientOf } from './client-address.ts';
import type { RequestCount, Siblings } from './siblings.ts';

/** Paths that need no key, for load balancers and orchestrators. */
const OPEN_PATHS = new Set(['/health', '/ready']);
/** Paths without a rate limit, so that monitoring works while clients are refused. */
const UNCOUNTED_PATHS = new Set([...OPEN_PATHS, '/metrics']);
/** Paths of the documentation. A browser sends no key for these, and loads many files at once. */
const DOCUMENTATION = /^\/(docs|redoc|playground|openapi\.json)(\/|$)/;

/**
 * Security headers of every answer: helmet's defaults, except two. The documentation's pages set their own
 * Content-Security-Policy. HSTS must come from the proxy that terminates TLS.
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

/**
 * Adds the security headers and, if configured, CORS, the rate limit and the check of keys.
 *
 * @throws ConfigError if the configured keys cannot be used
 */
export const security = plugin(
  async (app) => {
    const { config, siblings } = app.chunksmith;
    const keys = readKeys(config);
    app.addHook('onRequest', (request, reply, done) => {
      reply.header('x-request-id', request.id);
      reply.headers(FIXED_HEADERS);
      done();
    });
    app.addHook('onRequest', ({ raw }, reply, done) => {
      const problem = problemOfHeaders(raw);
      // Closes the connection: after an ambiguous request, the start of the next request is uncertain.
      if (problem !== undefined) reply.header('connection', 'close');
      done(problem);
    });
    if (config.corsOrigins.length > 0) await allowOrigins(app, config.corsOrigins);
    if (config.rateLimit > 0 || failedKeyLimitOf(config) > 0) await limitRate(app, config, siblings);
    if (keys.length > 0) requireKeys(app, keys, config);
  },
  { name: 'chunksmith-security', dependencies: ['chunksmith-services', 'chunksmith-error-handler'] },
);

/** Whether requests to a path need a key. Unknown paths, given as `''`, need one. */
export function needsKey(config: AccessConfig, path: string): boolean {
  if (!asksForKeys(config) || OPEN_PATHS.has(path)) return false;
  return config.docsNeedKey || !DOCUMENTATION.test(path);
}

function isCounted({ rateLimit }: AccessConfig, path: string): boolean {
  return rateLimit > 0 && !UNCOUNTED_PATHS.has(path) && !DOCUMENTATION.test(path);
}

export function refusalStatuses(config: AccessConfig, path: string): number[] {
  const isOfKey = needsKey(config, path);
  const isLimited = isCounted(config, path) || (isOfKey && failedKeyLimitOf(config) > 0);
  return [...(isOfKey ? [401] : []), ...(isLimited ? [429] : [])];
}

async function allowOrigins(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  const { default: cors } = await import('@fastify/cors');
  await app.register(cors, {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: ['*', 'etag', 'link', 'location', 'retry-after', 'x-next-cursor', 'x-request-id'],
    maxAge: 600,
  });
}

async function limitRate(
  app: FastifyInstance,
  config: AccessConfig,
  siblings: Siblings | undefined,
): Promise<void> {
  const { rateLimit: limit } = config;
  const { prefix } = app;
  const { default: rateLimit } = await import('@fastify/rate-limit');
  await app.register(rateLimit, {
    global: limit > 0,
    max: limit,
    timeWindow: WINDOW,
    keyGenerator: clientOf,
    allowList: (request) => !isCounted(config, routeOf(request, prefix)),
    ...(siblings && { store: storeOf(siblings) as never }),
    errorResponseBuilder: (_request, { ttl }) =>
      new ServiceError('too_many_requests', { limit, seconds: Math.ceil(ttl / 1000) }),
  });
}

type OnCount = (error: Error | null, count?: RequestCount) => void;

/** A store of @fastify/rate-limit whose counts are those of all processes. */
function storeOf(siblings: Siblings) {
  return class SharedStore {
    readonly #limit: string;

    constructor(_settings: unknown, limit = 'requests') {
      this.#limit = limit;
    }

    incr(key: string, onCount: OnCount, window: number): void {
      this.#count(key, onCount, window, true);
    }

    read(key: string, onCount: OnCount, window: number): void {
      this.#count(key, onCount, window, false);
    }

    /** Counts apart from this store. The only one is that of wrong keys. */
    child(): SharedStore {
      return new SharedStore(undefined, 'wrong keys');
    }

    #count(key: string, onCount: OnCount, window: number, increments: boolean): void {
      siblings
        .count({ limit: this.#limit, key, window, increments })
        .then((count) => onCount(null, count), onCount);
    }
  };
}

/** Length in milliseconds of the period in which requests are counted. */
const WINDOW = 60_000;

/** Refuses requests without a valid key. Compares digests: the time taken reveals nothing about the keys. */
function requireKeys(app: FastifyInstance, keys: readonly string[], config: AccessConfig): void {
  const known = keys.map((key) => digest(key));
  const failures = failedKeys(app, failedKeyLimitOf(config));
  const { prefix } = app;
  app.addHook('onRequest', async (request, reply) => {
    if (!needsKey(config, routeOf(request, prefix))) return;
    await failures?.check(request);
    const given = keyOf(request);
    const received = digest(given);
    const fits = known.map((key) => timingSafeEqual(key, received));
    if (fits.includes(true)) return;
    if (given !== '') await failures?.note(request);
    reply.header('www-authenticate', 'Bearer');
    throw new ServiceError('unauthorized');
  });
}

function keyOf({ headers: { authorization = '' } }: FastifyRequest): string {
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '';
}

/** Identifies the sender of a request by a digest of the key, or by address if keys are not required. */
export function senderOf(request: FastifyRequest, config: AccessConfig): string {
  return asksForKeys(config) ? digest(keyOf(request)).toString('base64') : clientOf(request);
}

/** Counts wrong keys by address. At the limit, refuses even right keys of the address, to stop guessing. */
function failedKeys(app: FastifyInstance, limit: number) {
  if (limit === 0) return undefined;
  const count = app.createRateLimit({
    max: limit,
    timeWindow: WINDOW,
    keyGenerator: clientOf,
    // Counts all paths. Without this list, the paths exempt from the rate limit would not be counted.
    allowList: [],
  });
  return {
    note: (request: FastifyRequest) => count(request),
    /** @throws ServiceError `too_many_wrong_keys` */
    async check(request: FastifyRequest): Promise<void> {
      const state = await count(request, { increment: false });
      if (state.isAllowed || state.remaining > 0) return;
      throw new ServiceError('too_many_wrong_keys', { limit, seconds: state.ttlInSeconds });
    },
  };
}

function routeOf({ routeOptions: { url = '' } }: FastifyRequest, prefix: string): string {
  return url.startsWith(prefix) ? url.slice(prefix.length) : url;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/;

/**
 * The error for headers that HTTP forbids but Node accepts: a proxy may interpret such a request differently.
 * See RFC 9112, sections 3.2, 6.1 and 7.1.
 */
function problemOfHeaders({ headers, rawHeaders }: IncomingMessage): ServiceError | undefined {
  const hosts = countOf(rawHeaders, 'host');
  if (hosts > 1) return invalid(`Host: expected one header, got ${hosts}`);
  if (!HOST.test(headers.host ?? '')) return invalid('Host: expected a host and an optional port');
  const { 'transfer-encoding': given } = headers;
  if (given === undefined || given.toLowerCase() === 'chunked') return undefined;
  const codings = given.split(',').map((coding) => coding.trim().toLowerCase());
  if (codings.every((coding) => coding === 'chunked'))
    return invalid('Transfer-Encoding: expected chunked once');
  return new ServiceError('unsupported_transfer_coding', { received: JSON.stringify(given.slice(0, 100)) });
}

function countOf(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] as string;
    if (given.length === name.length && given.toLowerCase() === name) count++;
  }
  return count;
}
