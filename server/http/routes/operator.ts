import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../../core/errors.ts';
import { OVERLOADED } from '../../engine/run/priority-queue.ts';
import { ABOUT } from '../documentation/meta-schemas.ts';

/** Routes for an operator's tools: whether the server is alive, whether work can be sent here, and metrics. */
export async function operatorRoutes(app: FastifyInstance): Promise<void> {
  const { runner, store, metrics } = app.chunksmith;
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
    reply.type(metrics.contentType).send(await metrics.text()),
  );
}
