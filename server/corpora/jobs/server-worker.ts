import type { Config } from '../../config/config.ts';
import type { Runner } from '../../engine/run/runner.ts';
import type { Service } from '../../engine/service.ts';
import type { JobWorkerParts } from './create-worker.ts';
import type { LocalChunkingOptions } from './shard-sink.ts';
import type { JobWorker } from './worker.ts';

/** The worker of a server, which is started once its store is open. */
export interface ServerWorker extends JobWorker {
  /** Starts it, unless it was stopped. */
  start(): void;
}

export interface ServerWorkerParts
  extends Pick<JobWorkerParts, 'store' | 'places' | 'registry' | 'host' | 'log'>,
    Required<Pick<JobWorkerParts, 'onShard'>>,
    Required<Pick<LocalChunkingOptions, 'byteBudget' | 'onAnswer'>> {
  readonly config: Config;
  readonly service: Service;
  readonly runner: Runner;
}

/** Its dependencies are not loaded before it is started. */
export function createServerWorker(parts: ServerWorkerParts): ServerWorker {
  let starting: Promise<JobWorker | undefined> | undefined;
  let stopping: Promise<void> | undefined;
  const stop = async (graceSeconds: number) => (await starting)?.stop(graceSeconds);
  return {
    start() {
      if (stopping !== undefined) return;
      starting ??= startWorker(parts).catch((error: unknown) => {
        parts.log.error({ err: error }, 'jobs: the worker could not be started');
        return undefined;
      });
    },
    wake: () => void starting?.then((worker) => worker?.wake()),
    stop(graceSeconds) {
      stopping ??= stop(graceSeconds);
      return stopping;
    },
  };
}

/** Groups of documents that wait for a thread. */
const AHEAD = 1;

async function startWorker(parts: ServerWorkerParts): Promise<JobWorker> {
  const { config, service, runner, byteBudget, onAnswer, store } = parts;
  const [{ createJobWorker }, { localChunking }, { storingIn }, { removingIn }, { notifyJob }] =
    await Promise.all([
      import('./create-worker.ts'),
      import('./shard-sink.ts'),
      import('./shard-sink.ts'),
      import('./prune.ts'),
      import('./notify.ts'),
    ]);
  const slots = Math.max(1, Math.min(config.bulkConcurrency, config.workers)) + AHEAD;
  const { bulkCallbackSecret: secret, bulkCallbackPrivate: allowPrivate } = config;
  return createJobWorker({
    ...parts,
    chunking: localChunking({ service, runner, slots, byteBudget, onAnswer }),
    storing: storingIn(runner),
    remove: removingIn(runner),
    notify: (claim, signal) => notifyJob(claim, signal, { store, secret, allowPrivate }),
    settings: {
      leaseSeconds: config.bulkLease,
      documentBytes: config.maxBodyBytes,
      shardBytes: config.bulkShardBytes,
      shardDocuments: config.bulkShardDocuments,
    },
  });
}
