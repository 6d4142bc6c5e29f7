import type { FastifyInstance, FastifySchema } from 'fastify';
import { ServiceError } from '../../../core/errors.ts';
import { NAME, VERSION } from '../../config/version.ts';
import { count, described, listOf, object, text } from '../../engine/answer/schemas.ts';
import { OVERLOADED } from '../../engine/run/priority-queue.ts';
import { listedPlugin, listedTokenizer, listPlugins, listTokenizers } from '../../engine/stages/listings.ts';
import { errorAnswers, jsonAnswer } from '../docs/answer-schemas.ts';
import { withBraces } from '../transport/known-paths.ts';
import { metricsOf } from '../transport/metrics.ts';

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
    presets: `${app.prefix}/v1/presets`,
    hint: 'Without options, chunks have at most 512 characters. To build an index, begin with one of the presets.',
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

function endpointsOf({ chunksmithPaths, prefix, swagger }: FastifyInstance): string[] {
  const described = new Set(Object.keys(swagger().paths ?? {}));
  return [...chunksmithPaths].flatMap(([path, methods]) => {
    const shown = prefix + withBraces(path);
    if (!described.has(shown)) return [];
    return [...methods].filter((method) => method !== 'HEAD').map((method) => `${method} ${shown}`);
  });
}

export async function operatorRoutes(app: FastifyInstance): Promise<void> {
  const {
    runner,
    store,
    metrics: { registry },
    siblings,
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
    reply.type(registry.contentType).send(await metricsOf(registry, siblings)),
  );
}

const info = {
  title: 'ServiceInfo',
  ...object(
    {
      name: text,
      version: text,
      docs: text,
      redoc: text,
      playground: described('The page to compare settings; missing if it is turned off.', text),
      openapi: text,
      presets: text,
      hint: described('Where to begin.', text),
      endpoints: described('Method and path of every endpoint.', listOf(text)),
      unavailable: described('Plugins that cannot run here, and why.', listOf(listedPlugin)),
    },
    ['playground'],
  ),
};

const status = (value: string) => object({ status: { const: value } });

const model = {
  title: 'EmbeddingModel',
  ...object(
    {
      name: text,
      aliases: described('Other names that a request may use.', listOf(text)),
      provider: described('The embedding plugin that opens it.', text),
      version: described('Changes with the weights.', text),
      dimensions: described('Length of a vector.', count),
      window: described(
        'Maximum tokens of a text that it reads, with its prompt and special tokens; null if it reads any text to its end, missing if that is not known.',
        { anyOf: [count, { type: 'null' }] },
      ),
    },
    ['version', 'dimensions', 'window'],
  ),
};

const prometheus = {
  description: 'The text format of Prometheus.',
  content: { 'text/plain': { schema: { type: 'string' } } },
} as const;

const ABOUT = {
  info: about('get_info', 'Service', 'Name, version and endpoints.', info),
  health: about('get_health', 'Health', 'Whether the server is alive.', status('ok'), [503]),
  ready: about(
    'get_readiness',
    'Readiness',
    'Whether the server accepts work: its queue has room and its store can be reached.',
    status('ready'),
    [503],
  ),
  metrics: about('get_metrics', 'Metrics', 'Counters for Prometheus.', prometheus),
  plugins: about('list_plugins', 'List plugins', 'All plugins and what they lack.', listOf(listedPlugin)),
  models: about(
    'list_models',
    'List embedding models',
    'Embedding models that are ready or known by name.',
    listOf(model),
    [500],
  ),
  tokenizers: about(
    'list_tokenizers',
    'List tokenizers',
    'Tokenizers that requests may name; those of the hub can also be opened.',
    listOf(listedTokenizer),
    [500],
  ),
} as const;

function about(
  operationId: string,
  summary: string,
  description: string,
  answer: object,
  failures: readonly number[] = [],
): FastifySchema {
  const done = 'content' in answer ? answer : jsonAnswer(description, answer);
  const response = { 200: done, ...errorAnswers(failures) };
  return { tags: ['meta'], operationId, summary, description, response };
}
