import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../../core/errors.ts';
import { takesJobs } from '../../config/jobs.ts';
import { bytesBody } from '../transport/bodies.ts';
import { type JobRoutes, jobRoutesOf } from './schemas.ts';

const LARGEST_BODY = 16_777_216;

/** Routes that create jobs, report on them, and return their output. If jobs are off, all of them say so. */
export async function jobRoutes(app: FastifyInstance): Promise<void> {
  const { config } = app.chunksmith;
  const routes = jobRoutesOf(config);
  await app.register(bytesBody, { limit: Math.min(LARGEST_BODY, config.maxBodyBytes) });
  if (!takesJobs(config)) {
    for (const route of Object.values(routes)) {
      // Before the body is read, and after keys and rate limits are checked.
      app.route({ ...route, preParsing: refuse, handler: refuse });
    }
    return;
  }
  // Most servers run no jobs, and should not load what these need.
  const { jobHandlers } = await import('./handlers.ts');
  const handlers = jobHandlers(app);
  for (const name of Object.keys(routes) as (keyof JobRoutes)[]) {
    app.route({ ...routes[name], handler: handlers[name] });
  }
}

async function refuse(): Promise<never> {
  throw new ServiceError('jobs_off');
}
