import { type AwilixContainer, asFunction, asValue } from 'awilix/browser';
import type { Log } from '../core/contracts/collaborators.ts';
import type { Registry } from '../core/hosting/registry.ts';
import type { Config } from './config/config.ts';
import { ByteBudget } from './engine/run/byte-budget.ts';
import type { Executor } from './engine/run/executor.ts';
import { createPoolExecutor } from './engine/run/pool.ts';
import { Runner } from './engine/run/runner.ts';
import { openSharedBuffers, type SharedBuffersRegistry } from './engine/run/shared-buffers.ts';
import { type Admission, createAdmission } from './http/transport/admission.ts';
import { createMetrics, type Metrics } from './http/transport/metrics.ts';
import type { Siblings } from './http/transport/siblings.ts';
import { loadPlugins } from './plugins/loader/loader.ts';
import { closed, createServiceContainer, type ServiceCradle } from './service-container.ts';
import type { PipelineStore } from './store/contract.ts';
import type { JobStore } from './store/jobs/contract.ts';
import {
  createDatabase,
  createJobStore,
  createPipelineStore,
  queueOf,
  type SharedDatabase,
} from './store/stores.ts';

export interface ServerCradle extends ServiceCradle {
  readonly shared: SharedBuffersRegistry;
  readonly pool: Executor | undefined;
  readonly runner: Runner;
  readonly database: SharedDatabase;
  readonly store: PipelineStore;
  readonly jobs: JobStore;
  readonly metrics: Metrics;
  readonly byteBudget: ByteBudget;
  readonly admission: Admission;
  /** The other processes of this server; undefined if it has one. */
  readonly siblings: Siblings | undefined;
}

export interface Given {
  readonly registry?: Registry | undefined;
  readonly siblings?: Siblings | undefined;
}

/**
 * Wires a server: the service of the main thread, worker threads, the store, metrics and admission control.
 *
 * @throws ServiceError `malformed_plugin`, `duplicate_plugin`, `cyclic_plugins`, `missing_plugin_package`,
 *   `unknown_plugin`
 */
export async function createServerContainer(
  config: Config,
  log: Log,
  { registry: loaded, siblings }: Given = {},
): Promise<AwilixContainer<ServerCradle>> {
  const shared = openSharedBuffers();
  const registry = loaded ?? (await loadPlugins(config, process.env));
  const container = createServiceContainer({ config, log, shared, registry });
  return container.register({
    shared: asValue(shared),
    siblings: asValue(siblings),
    pool: asFunction(({ shared, pluginFailures }: ServerCradle) =>
      config.workers === 0
        ? undefined
        : createPoolExecutor(
            { config, plugins: { all: registry.all, broken: registry.broken } },
            shared,
            (id, failure) => pluginFailures.set(id, failure),
          ),
    ).singleton(),
    runner: closed((given: ServerCradle) => new Runner(given)),
    database: closed(() => createDatabase(config, log)),
    store: asFunction(({ database }: ServerCradle) => createPipelineStore(database)).singleton(),
    jobs: asFunction(({ database }: ServerCradle) =>
      createJobStore(database, queueOf(config), log),
    ).singleton(),
    byteBudget: asFunction(() => new ByteBudget(config.maxBytesInFlight)).singleton(),
    metrics: asFunction(({ runner, byteBudget }: ServerCradle) => {
      const metrics = createMetrics({ load: () => runner.load(), bytesInFlight: () => byteBudget.taken });
      siblings?.offer(metrics.registry);
      return metrics;
    }).singleton(),
    admission: asFunction(createAdmission).singleton(),
  }) as unknown as AwilixContainer<ServerCradle>;
}

/** Disposes of each dependant before its dependencies. Awilix's own `dispose` disposes of all at once. */
export async function disposeInOrder(container: AwilixContainer<object>): Promise<void> {
  // The cache contains dependencies before their dependants.
  for (const { resolver, value } of [...container.cache.values()].reverse()) {
    await (resolver as { dispose?(value: unknown): unknown }).dispose?.(value);
  }
  container.cache.clear();
}
