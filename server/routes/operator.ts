import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../metrics.ts';
import { OVERLOADED } from '../run/overloaded.ts';
import type { Runner } from '../run/runner.ts';
import type { PipelineStore } from '../store/pipeline-store.ts';
import { errorAnswers } from './schemas.ts';

const ready = { type: 'object', required: ['status'], properties: { status: { const: 'ready' } } } as const;

/** What an operator's tools ask: whether work can be sent here, and what the server has done. */
export function operatorRoutes(
  app: FastifyInstance,
  runner: Pick<Runner, 'load'>,
  store: Pick<PipelineStore, 'ping'>,
  metrics: Metrics,
): void {
  app.get(
    '/ready',
    {
      schema: {
        tags: ['meta'],
        summary: 'Whether the server takes work: its queue has room and its store can be reached',
        response: { 200: ready, ...errorAnswers([503]) },
      },
    },
    async () => {
      if (runner.load().isFull) throw OVERLOADED;
      await store.ping();
      return { status: 'ready' } as const;
    },
  );
  app.get(
    '/metrics',
    {
      schema: {
        tags: ['meta'],
        summary: 'Counters for Prometheus',
        produces: ['text/plain'],
        response: { 200: { type: 'string', description: 'The text format of Prometheus.' } },
      },
    },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  );
  app.addHook('onResponse', async ({ routeOptions, method }, reply) => {
    metrics.answered(routeOptions.url ?? 'unknown', method, reply.statusCode, reply.elapsedTime / 1000);
  });
}
