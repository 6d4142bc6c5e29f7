import type { FastifyInstance } from 'fastify';
import type { Environment } from '../config/config.ts';
import { takesJobs } from '../config/jobs.ts';
import type { ServerCradle } from '../container.ts';
import { addJobMetrics } from './http/metrics.ts';
import { createServerPlaces } from './jobs/server-locations.ts';
import { createServerWorker, type ServerWorker } from './jobs/server-worker.ts';
import type { JobPlaces } from './jobs/spec.ts';
import { readCorporaSettings } from './storage/settings.ts';

/** Corpora of a server that runs. */
export interface OpenCorpora {
  /** Registers the routes of jobs; where jobs are off, all say so. */
  routes(app: FastifyInstance): Promise<void>;
  /** Opens the store of jobs, and begins to work on them unless another process does. */
  start(): Promise<void>;
  /** Finishes or gives back what is worked on. @param graceSeconds after which it is given back */
  stop(graceSeconds: number): Promise<void>;
}

/** Wires jobs into a server. @throws ConfigError, see `readCorporaSettings` */
export function openCorpora(cradle: ServerCradle, env: Environment): OpenCorpora {
  if (!takesJobs(cradle.config)) {
    return {
      routes: async (app) => (await import('./http/routes.ts')).refusedJobRoutes(app),
      start: async () => {},
      stop: async () => {},
    };
  }
  const { config, jobs } = cradle;
  const places = createServerPlaces(readCorporaSettings(config, env), jobs);
  const worker = workerOf(cradle, places);
  return {
    routes: async (app) => (await import('./http/routes.ts')).jobRoutes(app, { places, worker }),
    async start() {
      await jobs.open();
      if (config.role !== 'api') worker.start();
    },
    stop: (graceSeconds) => worker.stop(graceSeconds),
  };
}

function workerOf(cradle: ServerCradle, places: JobPlaces): ServerWorker {
  const { config, service, runner, byteBudget, registry, host, log, jobs, metrics } = cradle;
  const counted = addJobMetrics(metrics.registry, () => jobs.load());
  return createServerWorker({
    ...{ config, service, runner, byteBudget, registry, host, log, store: jobs, places },
    onShard: counted.shard,
    onAnswer: counted.chunked,
  });
}
