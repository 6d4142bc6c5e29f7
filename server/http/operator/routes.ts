import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../../core/errors.ts';
import { NAME, VERSION } from '../../config/version.ts';
import { OVERLOADED } from '../../engine/run/priority-queue.ts';
import { listPlugins, listTokenizers } from '../../engine/stages/listings.ts';
import { withBraces } from '../transport/known-paths.ts';
import { ABOUT } from './schemas.ts';

/** Routes about the service itself: name and endpoints, plugins, models, tokenizers. */
export async function metaRoutes(app: FastifyInstance): Promise<void> {
  const { config, registry, pluginFailures } = app.chunksmith;
  const all = async () => listPlugins(registry, pluginFailures.reasons);
  app.get('/', { schema: ABOUT.info }, async () => ({
    name: NAME,
    version: VERSION,
    docs: `${app.prefix}/docs`,
    redoc: `${app.prefix}/redoc`,
    ...(config.playground ? { playground: `${app.prefix}/playground` } : {}),
    openapi: `${app.prefix}/openapi.json`,
    endpoints: endpointsOf(app),
    unavailable: (await all()).filter(({ available }) => !available),
  }));
  app.get('/v1/plugins', { schema: ABOUT.plugins }, all);
  app.get('/v1/models', { schema: ABOUT.models }, async () => {
    const { openers } = app.chunksmith;
    return (await openers.listModels()).map((model) => ({ ...model, aliases: [...(model.aliases ?? [])] }));
  });
  app.get('/v1/tokenizers', { schema: ABOUT.tokenizers }, async () =>
    listTokenizers(registry, app.chunksmith.host),
  );
}

/** Method and path of every endpoint that the documentation describes. */
function endpointsOf({ chunksmithPaths, prefix, swagger }: FastifyInstance): string[] {
  const described = new Set(Object.keys(swagger().paths ?? {}));
  return [...chunksmithPaths].flatMap(([path, methods]) => {
    const shown = prefix + withBraces(path);
    if (!described.has(shown)) return [];
    return [...methods].filter((method) => method !== 'HEAD').map((method) => `${method} ${shown}`);
  });
}

/** Routes for an operator's tools: whether the server is alive, whether it accepts work, and metrics. */
export async function operatorRoutes(app: FastifyInstance): Promise<void> {
  const {
    runner,
    store,
    metrics: { registry },
  } = app.chunksmith;
  app.get('/health', { schema: ABOUT.health }, async () => {
    if (store.isStuck()) throw new ServiceError('store_stuck', {});
    return { status: 'ok' } as const;
  });
  app.get('/ready', { schema: ABOUT.ready }, async () => {
    if (runner.load().isFull) throw OVERLOADED;
    await store.ping();
    return { status: 'ready' } as const;
  });
  app.get('/metrics', { schema: ABOUT.metrics }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
}
