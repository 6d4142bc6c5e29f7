import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { KINDS } from '../../core/contracts.ts';
import type { PluginEntry, Registry } from '../../core/registry.ts';
import { NAME, VERSION } from '../version.ts';

const plugin = Type.Object({
  kind: Type.Enum([...KINDS]),
  name: Type.String(),
  summary: Type.String(),
  available: Type.Boolean({ description: 'Whether the plugin can run here.' }),
  missing: Type.Array(Type.String(), { description: 'What it lacks, with the remedy.' }),
});

const info = Type.Object({
  name: Type.String(),
  version: Type.String(),
  docs: Type.String(),
  redoc: Type.String(),
  openapi: Type.String(),
  endpoints: Type.Array(Type.String(), { description: 'Method and path of every endpoint.' }),
  unavailable: Type.Array(plugin, { description: 'Plugins that cannot run here, and why.' }),
});

const health = Type.Object({ status: Type.Literal('ok') });

/** What the service says of itself: name and endpoints, health, plugins. */
export function metaRoutes(app: FastifyInstance, registry: Registry, endpoints: () => string[]): void {
  const all = registry.all.map(describe);
  const unavailable = all.filter(({ available }) => !available);

  app.get(
    '/',
    { schema: { tags: ['meta'], summary: 'Name, version and endpoints', response: { 200: info } } },
    async () => ({
      name: NAME,
      version: VERSION,
      docs: '/docs',
      redoc: '/redoc',
      openapi: '/openapi.json',
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
        response: { 200: Type.Array(plugin) },
      },
    },
    async () => all,
  );
}

function describe({ manifest: { kind, name, summary }, missing }: PluginEntry) {
  return { kind, name, summary, available: missing.length === 0, missing: [...missing] };
}
