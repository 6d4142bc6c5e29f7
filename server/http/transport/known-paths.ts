import { posix } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { ServiceError } from '../../../core/errors.ts';
import { suggest } from '../../engine/validation/suggest.ts';
import { pathOf } from './error-handler.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The methods of each path. The paths are without the app's prefix. */
    readonly chunksmithPaths: KnownPaths;
  }
  interface FastifyContextConfig {
    /** Marks a route that only answers 405. */
    refusesMethods?: boolean;
  }
}

export type KnownPaths = ReadonlyMap<string, ReadonlySet<string>>;

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

/** Makes every known path answer other methods with 405 and `Allow`. Register this after all routes. */
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
 * Answers requests that match no route, before their bodies are read. These include requests with methods
 * that the router does not know.
 */
export async function unknownPaths(app: FastifyInstance): Promise<void> {
  const { prefix, chunksmithPaths: paths } = app;
  const known = () => [...paths.keys()].filter((path) => !path.includes('*')).map(shown);
  const shown = (path: string) => prefix + withBraces(path);
  const root = shown('/');
  // This scope has no routes, so the hook runs only for requests that match no route.
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

export async function operatorsAlone(app: FastifyInstance): Promise<void> {
  const { prefix, chunksmithPaths: paths } = app;
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
  app.setNotFoundHandler((request) => {
    const known = [...paths.keys()].map((path) => prefix + path).join(', ');
    const hint = ` This process only runs jobs (--role worker) and answers ${known}; send requests to one with --role api or all.`;
    throw new ServiceError('not_found', { path: pathOf(request), hint });
  });
}

/** A path with its parameters in braces, as in the documentation: `/v1/pipelines/{pipeline_id}`. */
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

/**
 * The error for a path without a route. The message suggests a similar path, or lists the paths in the same
 * folder, such as the chunkers below `/v1/chunk`.
 *
 * @param root path of the list of endpoints
 */
function notFound(path: string, known: readonly string[], root: string): ServiceError {
  return new ServiceError('not_found', { path, hint: ` ${hintFor(path, known, root)}` });
}

function hintFor(given: string, known: readonly string[], root: string): string {
  const path = given.replace(/(?<=.)\/$/, '');
  const folder = posix.dirname(path);
  const names = namesIn(folder, known);
  const near = names.length === 0 ? nearAsWhole(path, known) : nearIn(folder, posix.basename(path), names);
  if (near !== undefined) return `Did you mean ${near}?`;
  // Leaves out files of the documentation, such as `openapi.json`.
  const listed = names.filter((one) => !one.includes('.'));
  if (listed.length === 0 || posix.join(folder, '/') === root) return `GET ${root} lists all endpoints.`;
  return `In ${folder} there ${listed.length === 1 ? 'is' : 'are'} ${listed.join(', ')}.`;
}

function namesIn(folder: string, known: readonly string[]): string[] {
  const paths = known.filter((path) => posix.dirname(path) === folder);
  return paths.map((path) => posix.basename(path)).filter((name) => name !== '' && !name.startsWith('{'));
}

function nearIn(folder: string, name: string, names: readonly string[]): string | undefined {
  const near = suggest(name, names);
  return near && posix.join(folder, near);
}

/** Finds a similar whole path. At most a quarter of the letters may differ, because long paths are alike. */
function nearAsWhole(path: string, known: readonly string[]): string | undefined {
  return suggest(path, known, Math.max(2, Math.floor(path.length / 4)));
}
