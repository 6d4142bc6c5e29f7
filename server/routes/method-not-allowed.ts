import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../core/errors.ts';
import { pathOf } from './problems.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Marks a route that only refuses a method. */
    isRefusal?: boolean;
  }
}

/** The paths that routes were made for, with their methods. */
export type KnownPaths = ReadonlyMap<string, ReadonlySet<string>>;

/** Remembers the path of every route that is made from here on. */
export function collectPaths(app: FastifyInstance): KnownPaths {
  const paths = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, prefix, method, config }) => {
    if (config?.isRefusal === true) return;
    const path = url.slice(prefix.length) || '/';
    const methods = paths.get(path) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    paths.set(path, methods);
  });
  return paths;
}

/** Makes every known path answer the methods that it does not take with 405 and `Allow`. */
export function refuseOtherMethods(app: FastifyInstance, paths: KnownPaths): void {
  for (const [path, methods] of paths) {
    const allowed = [...methods].join(', ');
    app.route({
      method: app.supportedMethods.filter((method) => !methods.has(method)),
      url: path,
      schema: { hide: true },
      config: { isRefusal: true },
      onRequest: async (request, reply) => {
        reply.header('allow', allowed);
        throw new ServiceError('method_not_allowed', {
          path: pathOf(request),
          method: request.method,
          allowed,
        });
      },
      handler: () => {},
    });
  }
}
