import type { FastifyInstance, FastifySchema } from 'fastify';
import { KINDS } from '../../../core/contracts/manifest.ts';
import type { ImportFailure } from '../../../core/hosting/capability.ts';
import type { PluginEntry } from '../../../core/hosting/registry.ts';
import { NAME, VERSION } from '../../version.ts';
import { errorAnswers } from '../answer-schemas.ts';
import { withBraces } from '../known-paths.ts';

const text = { type: 'string' } as const;

const plugin = {
  type: 'object',
  required: ['kind', 'name', 'summary', 'available', 'missing'],
  properties: {
    kind: { enum: KINDS },
    name: text,
    summary: text,
    available: { type: 'boolean', description: 'Whether the plugin can run here.' },
    missing: { type: 'array', items: text, description: 'What it lacks, with the remedy.' },
  },
} as const;

const info = {
  type: 'object',
  required: ['name', 'version', 'docs', 'redoc', 'openapi', 'endpoints', 'unavailable'],
  properties: {
    name: text,
    version: text,
    docs: text,
    redoc: text,
    openapi: text,
    endpoints: { type: 'array', items: text, description: 'Method and path of every endpoint.' },
    unavailable: { type: 'array', items: plugin, description: 'Plugins that cannot run here, and why.' },
  },
} as const;

const health = { type: 'object', required: ['status'], properties: { status: { const: 'ok' } } } as const;

const model = {
  type: 'object',
  required: ['name', 'aliases', 'provider'],
  properties: {
    name: text,
    aliases: { type: 'array', items: text, description: 'Further names that a request may give.' },
    provider: { type: 'string', description: 'The embedding plugin that answers for it.' },
    version: { type: 'string', description: 'Changes with the weights.' },
    dimensions: { type: 'integer', description: 'Numbers of a vector.' },
  },
} as const;

const models = { type: 'array', items: model } as const;

const plugins = { type: 'array', items: plugin } as const;

/** Routes about the service itself: name and endpoints, health, plugins, models. */
export async function metaRoutes(app: FastifyInstance): Promise<void> {
  const { registry, importCheck } = app.chunksmith;
  const all = async () => {
    const failures = await importCheck.failures();
    return registry.all.map((entry) => describe(entry, failures.get(entry.id)));
  };
  app.get('/', { schema: schemaOf('Name, version and endpoints', info) }, async () => ({
    name: NAME,
    version: VERSION,
    docs: `${app.prefix}/docs`,
    redoc: `${app.prefix}/redoc`,
    openapi: `${app.prefix}/openapi.json`,
    endpoints: endpointsOf(app),
    unavailable: (await all()).filter(({ available }) => !available),
  }));
  app.get(
    '/health',
    { schema: schemaOf('Whether the server is alive', health) },
    async () => ({ status: 'ok' }) as const,
  );
  app.get('/v1/plugins', { schema: schemaOf('All plugins and what they lack', plugins) }, all);
  app.get(
    '/v1/models',
    { schema: schemaOf('Embedding models that are ready or known by name', models, [500]) },
    async () => {
      const { openers } = app.chunksmith;
      return (await openers.listModels()).map((model) => ({ ...model, aliases: [...(model.aliases ?? [])] }));
    },
  );
}

function schemaOf(summary: string, answer: object, failures: readonly number[] = []): FastifySchema {
  return { tags: ['meta'], summary, response: { 200: answer, ...errorAnswers([405, ...failures]) } };
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

/** A plugin and what it lacks; why it cannot be imported is for the operator alone, because it may hold paths. */
function describe({ manifest, missing }: PluginEntry, failure: ImportFailure | undefined) {
  const { kind, name, summary } = manifest;
  const lacks = failure === undefined ? missing : [...missing, unimportable(failure)];
  return { kind, name, summary, available: lacks.length === 0, missing: [...lacks] };
}

function unimportable({ reason, message, place }: ImportFailure): string {
  const where = place === undefined ? '' : ` (${place})`;
  const more = message === undefined ? '' : '; the log of the server and --check say more';
  return `it cannot be imported: ${reason}${where}${more}`;
}
