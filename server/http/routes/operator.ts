import type { FastifyInstance } from 'fastify';
import { OVERLOADED } from '../../run/overloaded.ts';
import { errorAnswers } from '../answer-schemas.ts';

const ready = { type: 'object', required: ['status'], properties: { status: { const: 'ready' } } } as const;

const prometheus = {
  description: 'The text format of Prometheus.',
  content: { 'text/plain': { schema: { type: 'string' } } },
} as const;

/** Routes for an operator's tools: whether work can be sent here, and metrics. */
export async function operatorRoutes(app: FastifyInstance): Promise<void> {
  const { runner, store, metrics } = app.chunksmith;
  app.get(
    '/ready',
    {
      schema: {
        tags: ['meta'],
        summary: 'Whether the server takes work: its queue has room and its store can be reached',
        response: { 200: ready, ...errorAnswers([405, 503]) },
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
        response: { 200: prometheus, ...errorAnswers([405]) },
      },
    },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  );
}
