import type { FastifyInstance } from 'fastify';
import { KINDS } from '../../core/contracts.ts';
import type { Embeddings } from '../../core/embeddings.ts';
import type { PluginEntry, Registry } from '../../core/registry.ts';
import { NAME, VERSION } from '../version.ts';
import { errorAnswers } from './schemas.ts';

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

/** What the service says of itself: name and endpoints, health, plugins, models. */
export function metaRoutes(
  app: FastifyInstance,
  registry: Registry,
  embeddings: Embeddings,
  endpoints: () => string[],
): void {
  const all = registry.all.map(describe);
  const unavailable = all.filter(({ available }) => !available);

  app.get(
    '/',
    { schema: { tags: ['meta'], summary: 'Name, version and endpoints', response: { 200: info } } },
    async () => ({
      name: NAME,
      version: VERSION,
      docs: `${app.prefix}/docs`,
      redoc: `${app.prefix}/redoc`,
      openapi: `${app.prefix}/openapi.json`,
      endpoints: endpoints(),
      unavailable,
    }),
  );
  app.get(
    '/health',
    { schema: { tags: ['meta'], summary: 'Whether the server is alive', response: { 200: health } } },
    async () => ({ status: 'ok' }) as const,
  );
  app.get(
    '/v1/plugins',
    {
      schema: {
        tags: ['meta'],
        summary: 'All plugins and what they lack',
        response: { 200: plugins },
      },
    },
    async () => all,
  );
  app.get(
    '/v1/models',
    {
      schema: {
        tags: ['meta'],
        summary: 'Embedding models that are ready or known by name',
        response: { 200: models, ...errorAnswers([500]) },
      },
    },
    async () => (await embeddings.list()).map((model) => ({ ...model, aliases: [...(model.aliases ?? [])] })),
  );
}

function describe({ manifest: { kind, name, summary }, missing }: PluginEntry) {
  return { kind, name, summary, available: missing.length === 0, missing: [...missing] };
}
