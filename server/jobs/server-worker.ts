import type { Log } from '../../core/contracts/collaborators.ts';
import type { PluginHost } from '../../core/hosting/container.ts';
import type { Registry } from '../../core/hosting/registry.ts';
import type { Config } from '../config/config.ts';
import type { ByteBudget } from '../run/byte-budget.ts';
import type { RunAnswer } from '../run/executor.ts';
import type { Runner } from '../run/runner.ts';
import type { Service } from '../service/service.ts';
import type { JobStore } from '../store/jobs/contract.ts';
import type { JobPlaces } from './places.ts';
import type { ShardOutcome } from './work-on-shard.ts';
import type { JobWorker } from './worker.ts';

/** The worker of a server, which is started once its store is open. */
export interface ServerWorker extends JobWorker {
  /** Starts it, unless it was stopped. */
  start(): void;
}

export interface ServerWorkerParts {
  readonly config: Config;
  readonly store: JobStore;
  readonly places: JobPlaces;
  readonly service: Service;
  readonly runner: Runner;
  readonly byteBudget: ByteBudget;
  readonly registry: Registry;
  readonly host: PluginHost;
  readonly log: Log;
  onShard(outcome: ShardOutcome, seconds: number, skipped: number): void;
  onAnswer(answer: RunAnswer, bytes: number): void;
}

/** What it needs is not loaded before it is started. */
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
      import('./chunking.ts'),
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
