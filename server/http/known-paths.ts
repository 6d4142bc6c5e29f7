import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { ServiceError } from '../../core/errors.ts';
import { pathOf } from './error-handler.ts';
import { notFound } from './not-found.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The paths of the routes, without the app's prefix, with their methods. */
    readonly chunksmithPaths: KnownPaths;
  }
  interface FastifyContextConfig {
    /** Marks a route that only answers 405. */
    refusesMethods?: boolean;
  }
}

export type KnownPaths = ReadonlyMap<string, ReadonlySet<string>>;

/** Remembers the path, without the app's own prefix, of every route that is registered after it. */
export const knownPaths = plugin(
  async (app) => {
    const paths = new Map<string, Set<string>>();
    const { prefix } = app;
    app.decorate('chunksmithPaths', paths);
    app.addHook('onRoute', ({ url, method, config }) => {
      if (config?.refusesMethods === true) return;
      const path = withoutSlash(url.slice(prefix.length));
      const methods = paths.get(path) ?? new Set();
      for (const one of [method].flat()) methods.add(one);
      paths.set(path, methods);
    });
  },
  { name: 'chunksmith-known-paths' },
);

/**
 * Makes every known path answer the methods that it does not take with 405 and `Allow`. To be registered after all
 * other routes.
 */
export const methodNotAllowed = plugin(
  async (app) => {
    for (const [path, methods] of app.chunksmithPaths) {
      app.route({
        method: app.supportedMethods.filter((method) => !methods.has(method)),
        url: path,
        schema: { hide: true },
        config: { refusesMethods: true },
        onRequest: async (request, reply) => {
          throw methodNotAllowedError(request, reply, methods);
        },
        handler: () => {},
      });
    }
  },
  { name: 'chunksmith-method-not-allowed', dependencies: ['chunksmith-known-paths'] },
);

/**
 * Answers requests that no route takes, before their bodies are read. Requests with a method that the router does
 * not know come here too, whatever their path.
 */
export async function unknownPaths(app: FastifyInstance): Promise<void> {
  const { prefix, chunksmithPaths: paths } = app;
  const known = () => [...paths.keys()].filter((path) => !path.includes('*')).map(shown);
  const shown = (path: string) => prefix + withBraces(path);
  const root = shown('/');
  // In a scope of its own, where no route is: the hook runs for nothing else.
  app.addHook('onRequest', async (request, reply) => {
    const path = pathOf(request);
    const methods = paths.get(withoutSlash(path.slice(prefix.length)));
    if (methods === undefined || methods.has(request.method)) throw notFound(path, known(), root);
    throw methodNotAllowedError(request, reply, methods);
  });
  app.setNotFoundHandler((request) => {
    throw notFound(pathOf(request), known(), root);
  });
}

/** Answers all paths of a process that does jobs alone, but those of operators. */
export async function operatorsAlone(app: FastifyInstance): Promise<void> {
  const { prefix, chunksmithPaths: paths } = app;
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
  app.setNotFoundHandler((request) => {
    const known = [...paths.keys()].map((path) => prefix + path).join(', ');
    const hint = ` This process does jobs alone (--role worker) and answers ${known}; send requests to one with --role api or all.`;
    throw new ServiceError('not_found', { path: pathOf(request), hint });
  });
}

/** A path as the documentation writes it: `/v1/pipelines/{pipeline_id}`. */
export function withBraces(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, '') || '/';
}

function methodNotAllowedError(
  request: FastifyRequest,
  reply: FastifyReply,
  methods: ReadonlySet<string>,
): ServiceError {
  const allowed = [...methods].join(', ');
  reply.header('allow', allowed);
  return new ServiceError('method_not_allowed', { path: pathOf(request), method: request.method, allowed });
}
