import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { type AwilixContainer, asClass, asFunction, asValue, createContainer, InjectionMode } from 'awilix';
import type { Log, ModelFiles, SharedBuffers } from '../core/contracts/collaborators.ts';
import type { TokenizerProvider } from '../core/contracts/tokenizer.ts';
import { PluginHost } from '../core/hosting/container.ts';
import type { PluginEntry, Registry } from '../core/hosting/registry.ts';
import { kit } from '../core/kit.ts';
import type { Config } from './config/config.ts';
import { hubSettingsOf } from './config/hub-settings.ts';
import { readMachine } from './config/option.ts';
import { createSinkCollections, type SinkCollections } from './engine/operations/store-chunks.ts';
import { createRequestSchemas, type RequestSchemas } from './engine/read/request-schemas.ts';
import { ByteBudget } from './engine/run/byte-budget.ts';
import type { Executor } from './engine/run/executor.ts';
import { GuardedReaders, isGuarded } from './engine/run/guarded-readers.ts';
import { createPoolExecutor } from './engine/run/pool.ts';
import { Runner } from './engine/run/runner.ts';
import { openSharedBuffers, type SharedBuffersRegistry } from './engine/run/shared-buffers.ts';
import { Service } from './engine/service.ts';
import { keepTokenizers, Openers } from './engine/stages/openers.ts';
import { createCheck } from './engine/validation/validator.ts';
import { type Admission, createAdmission } from './http/transport/admission.ts';
import { createMetrics, type Metrics } from './http/transport/metrics.ts';
import { hostedModels } from './plugins/hosted/provider.ts';
import { createModelFiles } from './plugins/hub/model-files.ts';
import { createImportCheck, type ImportCheck } from './plugins/loader/import-check.ts';
import { importFactory } from './plugins/loader/import-factory.ts';
import { loadPlugins } from './plugins/loader/loader.ts';
import type { PipelineStore } from './store/contract.ts';
import { createDatabase, type SharedDatabase } from './store/create-database.ts';
import type { JobStore } from './store/jobs/contract.ts';
import { createJobStore, createPipelineStore, queueOf } from './store/stores.ts';

/** What one thread needs to serve requests: the main thread and every worker build the same from the same data. */
export interface ServiceCradle {
  readonly config: Config;
  readonly log: Log;
  readonly shared: SharedBuffers;
  readonly registry: Registry;
  readonly requestSchemas: RequestSchemas;
  readonly models: ModelFiles;
  readonly guardedReaders: GuardedReaders;
  readonly host: PluginHost;
  readonly openers: Openers;
  readonly collections: SinkCollections;
  readonly service: Service;
}

export interface ServiceOptions {
  readonly config: Config;
  readonly log: Log;
  /** Memory that the threads of the process share. */
  readonly shared: SharedBuffers;
  /** The plugins, if they are already loaded. */
  readonly registry?: Registry | undefined;
}

/**
 * Wires the service of one thread. Nothing is created before it is requested.
 *
 * @throws ServiceError `malformed_plugin`, `duplicate_plugin`, `cyclic_plugins`, `missing_plugin_package`,
 *   `unknown_plugin`
 */
export async function createServiceContainer({
  config,
  log,
  shared,
  registry: loaded,
}: ServiceOptions): Promise<AwilixContainer<ServiceCradle>> {
  const registry = loaded ?? (await loadPlugins(config, process.env));
  const container = createContainer<ServiceCradle>({ injectionMode: InjectionMode.PROXY, strict: true });
  return container.register({
    config: asValue(config),
    log: asValue(log),
    shared: asValue(shared),
    registry: asValue(registry),
    requestSchemas: asFunction(createRequestSchemas).singleton(),
    models: asFunction(makeModelFiles).singleton(),
    guardedReaders: closed(({ config, registry }: ServiceCradle) => new GuardedReaders(config, registry.all)),
    host: closed(makeHost),
    openers: closed((given: ServiceCradle) => new Openers(given)),
    collections: closed(createSinkCollections),
    service: asClass(Service).singleton(),
  });
}

/** Made once, and closed with the container. */
function closed<Given extends object, T extends { close(): unknown }>(make: (given: Given) => T) {
  return asFunction(make)
    .singleton()
    .disposer((made) => made.close());
}

function makeModelFiles({ config, log, registry }: ServiceCradle): ModelFiles {
  const ownFolders = registry.all.map(({ file }) => join(dirname(file), 'models'));
  return createModelFiles({ settings: hubSettingsOf(config, homedir()), log, ownFolders });
}

function makeHost({ registry, log, shared, models, guardedReaders }: ServiceCradle): PluginHost {
  return new PluginHost({
    registry,
    importFactory: async (entry) =>
      isGuarded(entry) ? () => guardedReaders.reader(entry) : importFactory(entry),
    collaborators: {
      kit,
      log,
      createCheck,
      shared,
      models,
      hosted: hostedModels,
      memoryBytes: readMachine().memoryBytes,
    },
    env: process.env,
    wrap: (entry, plugin) => keepOpened(entry, plugin, log),
  });
}

function keepOpened<P extends object>({ manifest }: PluginEntry, plugin: P, log: Log): P {
  if (manifest.kind !== 'tokenizer') return plugin;
  return keepTokenizers(plugin as unknown as TokenizerProvider, log) as unknown as P;
}

/** Disposes of dependants before their dependencies; Awilix's own `dispose` does everything at once. */
export async function disposeInOrder(container: AwilixContainer<object>): Promise<void> {
  // Dependencies are in the cache before their dependants.
  for (const { resolver, value } of [...container.cache.values()].reverse()) {
    await (resolver as { dispose?(value: unknown): unknown }).dispose?.(value);
  }
  container.cache.clear();
}

/** What the main thread has besides the service. */
export interface ServerCradle extends ServiceCradle {
  readonly shared: SharedBuffersRegistry;
  readonly pool: Executor | undefined;
  readonly runner: Runner;
  readonly database: SharedDatabase;
  readonly store: PipelineStore;
  readonly jobs: JobStore;
  readonly importCheck: ImportCheck;
  readonly metrics: Metrics;
  readonly byteBudget: ByteBudget;
  readonly admission: Admission;
}

/**
 * Wires a server: the service of the main thread, worker threads, the store, metrics and admission control.
 *
 * @throws ServiceError `malformed_plugin`, `duplicate_plugin`, `cyclic_plugins`, `missing_plugin_package`, `unknown_plugin`
 */
export async function createServerContainer(
  config: Config,
  log: Log,
  registry?: Registry,
): Promise<AwilixContainer<ServerCradle>> {
  const channel = `chunksmith-${randomUUID()}`;
  const shared = openSharedBuffers(channel);
  const container = await createServiceContainer({ config, log, shared, registry });
  return container.register({
    shared: closed(() => shared),
    pool: asFunction(({ shared }: ServerCradle) =>
      config.workers === 0 ? undefined : createPoolExecutor(config, shared, channel),
    ).singleton(),
    runner: closed((given: ServerCradle) => new Runner(given)),
    database: closed(() => createDatabase(config, log)),
    store: asFunction(({ database }: ServerCradle) => createPipelineStore(database)).singleton(),
    jobs: asFunction(({ database }: ServerCradle) =>
      createJobStore(database, queueOf(config), log),
    ).singleton(),
    importCheck: closed(createImportCheck),
    byteBudget: asFunction(() => new ByteBudget(config.maxBytesInFlight)).singleton(),
    metrics: asFunction(({ runner, byteBudget }: ServerCradle) =>
      createMetrics({ load: () => runner.load(), bytesInFlight: () => byteBudget.taken }),
    ).singleton(),
    admission: asFunction(createAdmission).singleton(),
  }) as unknown as AwilixContainer<ServerCradle>;
}
