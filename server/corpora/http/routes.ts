import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../../core/errors.ts';
import { bytesBody } from '../../http/transport/bodies.ts';
import type { JobTools } from './handlers.ts';
import { type JobRoutes, jobRoutesOf } from './schemas.ts';

const MAX_BODY_BYTES = 16_777_216;

export async function jobRoutes(app: FastifyInstance, tools: JobTools): Promise<void> {
  const routes = await routesOf(app);
  // Imported only when jobs are on, because most servers run no jobs.
  const { jobHandlers } = await import('./handlers.ts');
  const handlers = jobHandlers(app, tools);
  for (const name of Object.keys(routes) as (keyof JobRoutes)[]) {
    app.route({ ...routes[name], handler: handlers[name] });
  }
}

/**
 * Registers the same routes for servers whose jobs are off. They refuse a request after checking its key and
 * rate limit, and before reading its body.
 */
export async function refusedJobRoutes(app: FastifyInstance): Promise<void> {
  const routes = Object.values(await routesOf(app));
  for (const route of routes) app.route({ ...route, preParsing: refuse, handler: refuse });
}

async function routesOf(app: FastifyInstance): Promise<JobRoutes> {
  const { config } = app.chunksmith;
  await app.register(bytesBody, { limit: Math.min(MAX_BODY_BYTES, config.maxBodyBytes) });
  return jobRoutesOf(app.chunksmith);
}

async function refuse(): Promise<never> {
  throw new ServiceError('jobs_off');
}
