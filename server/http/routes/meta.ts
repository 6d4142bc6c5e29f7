import type { FastifyInstance } from 'fastify';
import { NAME, VERSION } from '../../config/version.ts';
import { listPlugins } from '../../engine/stages/list-plugins.ts';
import { listTokenizers } from '../../engine/stages/list-tokenizers.ts';
import { ABOUT } from '../documentation/meta-schemas.ts';
import { withBraces } from '../known-paths.ts';

/** Routes about the service itself: name and endpoints, plugins, models, tokenizers. */
export async function metaRoutes(app: FastifyInstance): Promise<void> {
  const { config, registry, importCheck } = app.chunksmith;
  const all = async () => listPlugins(registry, await importCheck.failures());
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

/** Method and path of every endpoint: of the routes that the documentation describes. */
function endpointsOf({ chunksmithPaths, prefix, swagger }: FastifyInstance): string[] {
  const described = new Set(Object.keys(swagger().paths ?? {}));
  return [...chunksmithPaths].flatMap(([path, methods]) => {
    const shown = prefix + withBraces(path);
    if (!described.has(shown)) return [];
    return [...methods].filter((method) => method !== 'HEAD').map((method) => `${method} ${shown}`);
  });
}
