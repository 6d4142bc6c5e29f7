import type { FastifySchema } from 'fastify';
import { KINDS } from '../../../core/contracts/manifest.ts';
import { PLUGIN_ORIGINS } from '../../../core/hosting/registry.ts';
import { PLUGIN_STATES } from '../../engine/stages/listings.ts';
import { errorAnswers, jsonAnswer } from '../docs/answer-schemas.ts';

/** The documentation of the routes about the service itself. */

const text = { type: 'string' } as const;

const plugin = {
  title: 'Plugin',
  type: 'object',
  required: ['kind', 'name', 'summary', 'origin', 'state', 'available', 'missing'],
  properties: {
    kind: { enum: [...KINDS, null], description: 'Null for a broken plugin whose kind is unknown.' },
    name: text,
    summary: text,
    version: { type: 'string', description: 'Its own version, if it has one.' },
    engine: { type: 'string', description: 'Versions of the plugin contract that it supports.' },
    origin: {
      enum: PLUGIN_ORIGINS,
      description: 'Where it comes from: the server, a folder of plugins, or an npm package.',
    },
    state: {
      enum: PLUGIN_STATES,
      description: 'It can run, it lacks something on this machine, or it is faulty itself.',
    },
    reason: { type: 'string', description: 'Why it is not ready, with the remedy.' },
    warning: { type: 'string', description: 'Why it may fail here although it is ready.' },
    available: { type: 'boolean', description: 'Whether the plugin can run here.' },
    missing: { type: 'array', items: text, description: 'What it lacks, with the remedy.' },
  },
} as const;

const info = {
  title: 'ServiceInfo',
  type: 'object',
  required: ['name', 'version', 'docs', 'redoc', 'openapi', 'endpoints', 'unavailable'],
  properties: {
    name: text,
    version: text,
    docs: text,
    redoc: text,
    playground: { type: 'string', description: 'The page to compare settings; missing if it is turned off.' },
    openapi: text,
    endpoints: { type: 'array', items: text, description: 'Method and path of every endpoint.' },
    unavailable: { type: 'array', items: plugin, description: 'Plugins that cannot run here, and why.' },
  },
} as const;

const status = (value: string) => ({
  type: 'object',
  required: ['status'],
  properties: { status: { const: value } },
});

const model = {
  title: 'EmbeddingModel',
  type: 'object',
  required: ['name', 'aliases', 'provider'],
  properties: {
    name: text,
    aliases: { type: 'array', items: text, description: 'Other names that a request may use.' },
    provider: { type: 'string', description: 'The embedding plugin that opens it.' },
    version: { type: 'string', description: 'Changes with the weights.' },
    dimensions: { type: 'integer', description: 'Length of a vector.' },
  },
} as const;

const models = { type: 'array', items: model } as const;

const tokenizer = {
  title: 'Tokenizer',
  type: 'object',
  required: ['name', 'aliases', 'provider', 'available', 'missing'],
  properties: {
    name: text,
    aliases: { type: 'array', items: text, description: 'Other names that a request may use.' },
    provider: { type: 'string', description: 'The tokenizer plugin that opens it.' },
    available: { type: 'boolean', description: 'Whether it can be opened now.' },
    missing: { type: 'array', items: text, description: 'What is missing, with the remedy.' },
  },
} as const;

const tokenizers = { type: 'array', items: tokenizer } as const;

const plugins = { type: 'array', items: plugin } as const;

const prometheus = {
  description: 'The text format of Prometheus.',
  content: { 'text/plain': { schema: { type: 'string' } } },
} as const;

/** The schemas of the routes, by topic. */
export const ABOUT = {
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
  plugins: about('list_plugins', 'List plugins', 'All plugins and what they lack.', plugins),
  models: about(
    'list_models',
    'List embedding models',
    'Embedding models that are ready or known by name.',
    models,
    [500],
  ),
  tokenizers: about(
    'list_tokenizers',
    'List tokenizers',
    'Tokenizers that requests may name; those of the hub can also be opened.',
    tokenizers,
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
