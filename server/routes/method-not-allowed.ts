import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../core/errors.ts';
import { notFound, pathOf } from './problems.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Marks a route that only refuses a method. */
    isRefusal?: boolean;
  }
}

/** The paths that routes were made for, with their methods. */
export type KnownPaths = ReadonlyMap<string, ReadonlySet<string>>;

/** Remembers the path, below the app's own prefix, of every route that is made from here on. */
export function collectPaths(app: FastifyInstance): KnownPaths {
  const paths = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.isRefusal === true) return;
    const path = url.slice(app.prefix.length).replace(/\/$/, '') || '/';
    const methods = paths.get(path) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    paths.set(path, methods);
  });
  return paths;
}

/** Makes every known path answer the methods that it does not take with 405 and `Allow`. */
export function refuseOtherMethods(app: FastifyInstance, paths: KnownPaths): void {
  for (const [path, methods] of paths) {
    app.route({
      method: app.supportedMethods.filter((method) => !methods.has(method)),
      url: path,
      schema: { hide: true },
      config: { isRefusal: true },
      onRequest: async (request, reply) => {
        throw methodNotAllowed(request, reply, methods);
      },
      handler: () => {},
    });
  }
}

/**
 * Answers what no route takes, before its body is read. Methods that the router does not know come here
 * too, whatever their path.
 */
export function refuseUnknown(app: FastifyInstance, paths: KnownPaths): void {
  const known = () =>
    [...paths.keys()].filter((path) => !path.includes('*')).map((path) => app.prefix + withBraces(path));
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    const path = pathOf(request);
    const methods = paths.get(path.slice(app.prefix.length).replace(/\/$/, '') || '/');
    if (methods === undefined || methods.has(request.method)) throw notFound(path, known());
    throw methodNotAllowed(request, reply, methods);
  });
  app.setNotFoundHandler((request) => {
    throw notFound(pathOf(request), known());
  });
}

/** A path as the documentation writes it: `/v1/pipelines/{pipeline_id}`. */
export function withBraces(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function methodNotAllowed(
  request: FastifyRequest,
  reply: FastifyReply,
  methods: ReadonlySet<string>,
): ServiceError {
  const allowed = [...methods].join(', ');
  reply.header('allow', allowed);
  return new ServiceError('method_not_allowed', { path: pathOf(request), method: request.method, allowed });
}
