import type { FastifyInstance } from 'fastify';
import { type Environment, takesJobs } from '../config/config.ts';
import type { ServerCradle } from '../container.ts';
import { groupsInFlight } from '../engine/run/stream.ts';
import { addJobMetrics, type JobMetrics } from './http/metrics.ts';
import { createServerLocations } from './jobs/server-locations.ts';
import type { JobLocations } from './jobs/spec.ts';
import type { JobWorker } from './jobs/worker.ts';
import { type CorporaSettings, readCorporaSettings } from './storage/settings.ts';

export interface OpenCorpora {
  /** Registers the job routes. If jobs are off, the routes refuse all requests. */
  routes(app: FastifyInstance): Promise<void>;
  /** Opens the job store, and starts running jobs unless another process does. */
  start(): Promise<void>;
  /** Finishes work in progress. @param graceSeconds time until unfinished work is given back to the store */
  stop(graceSeconds: number): Promise<void>;
}

const importRoutes = () => import('./http/routes.ts');

/** Wires jobs into a server. @throws ConfigError, see `readCorporaSettings` */
export function openCorpora(cradle: ServerCradle, env: Environment): OpenCorpora {
  if (!takesJobs(cradle.config)) {
    return {
      routes: async (app) => (await importRoutes()).refusedJobRoutes(app),
      start: async () => {},
      stop: async () => {},
    };
  }
  const { config, jobs, metrics, log } = cradle;
  const settings = readCorporaSettings(config, env);
  const locations = createServerLocations(settings, jobs);
  const counted = addJobMetrics(metrics.registry, () => jobs.load());
  let starting: Promise<JobWorker | undefined> | undefined;
  let stopping: Promise<void> | undefined;
  const wake = () => void starting?.then((worker) => worker?.wake());
  const stop = async (graceSeconds: number) => (await starting)?.stop(graceSeconds);
  return {
    routes: async (app) => (await importRoutes()).jobRoutes(app, { locations, worker: { wake } }),
    async start() {
      await jobs.open();
      if (config.role === 'api' || stopping !== undefined) return;
      starting ??= startWorker(cradle, settings, locations, counted).catch((error: unknown) => {
        log.error({ err: error }, 'jobs: the worker could not be started');
        return undefined;
      });
    },
    stop(graceSeconds) {
      stopping ??= stop(graceSeconds);
      return stopping;
    },
  };
}

async function startWorker(
  cradle: ServerCradle,
  settings: CorporaSettings,
  locations: JobLocations,
  counted: JobMetrics,
): Promise<JobWorker> {
  const { config, service, runner, byteBudget, registry, host, log, jobs: store } = cradle;
  const [{ createJobWorker, shardsAtOnce }, { ShardThreads }, { localChunking }, { notifyJob }] =
    await Promise.all([
      import('./jobs/create-worker.ts'),
      import('./jobs/shard-threads.ts'),
      import('./chunk-documents.ts'),
      import('./jobs/callback.ts'),
    ]);
  const threads = Math.max(1, Math.min(config.bulkConcurrency, config.workers));
  const work = { locations: { kind: 'server', settings }, limit: config.maxBodyBytes } as const;
  const { bulkCallbackSecret: secret, bulkCallbackPrivate: allowPrivate } = config;
  return createJobWorker({
    store,
    locations,
    registry,
    host,
    log,
    runner,
    chunking: localChunking({ service, runner, slots: groupsInFlight(threads, 1), byteBudget }),
    threads: runner.bulk && new ShardThreads({ bulk: runner.bulk, byteBudget, store, work }),
    concurrency: shardsAtOnce(threads),
    onChunked: counted.chunked,
    notify: (claim, signal) => notifyJob(claim, signal, { store, secret, allowPrivate }),
    onShard: counted.shard,
    settings: {
      leaseSeconds: config.bulkLease,
      documentBytes: config.maxBodyBytes,
      shardBytes: config.bulkShardBytes,
      shardDocuments: config.bulkShardDocuments,
    },
  });
}

/** The interface to the rest of the server. `server/config/find-corpora.ts` imports this file if present. */
export { describeCorpora } from './storage/settings.ts';

/** The command `chunk`. Servers do not load it. */
export const chunkCommand = () => import('./command/run-chunk.ts');

/** The commands `tune` and `evaluate`. Servers do not load them. */
export const tuneCommand = () => import('./command/tune/run-tune.ts');
