import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type AwilixContainer,
  asClass,
  asFunction,
  asValue,
  createContainer,
  InjectionMode,
} from 'awilix/browser';
import type { HostedModels, Log, ModelFiles, SharedBuffers } from '../core/contracts/collaborators.ts';
import type { TokenizerProvider } from '../core/contracts/tokenizer.ts';
import type { PluginHost } from '../core/hosting/container.ts';
import type { PluginEntry, Registry } from '../core/hosting/registry.ts';
import type { Config } from './config/config.ts';
import { hubSettingsOf } from './config/hub-settings.ts';
import { createSinkCollections, type SinkCollections } from './engine/operations/store-chunks.ts';
import { createRequestSchemas, type RequestSchemas } from './engine/read/request-schemas.ts';
import { GuardedReaders } from './engine/run/guarded-readers.ts';
import { Service } from './engine/service.ts';
import { keepTokenizers, Openers } from './engine/stages/openers.ts';
import { createPluginHost } from './plugin-host.ts';
import { hostedModels } from './plugins/hosted/provider.ts';
import { createModelFiles } from './plugins/hub/model-files.ts';
import { type OnPluginState, PluginFailures } from './plugins/loader/plugin-failures.ts';

/** Everything that one thread needs to serve requests; all threads build it from the same data. */
export interface ServiceCradle {
  readonly config: Config;
  readonly log: Log;
  readonly shared: SharedBuffers;
  readonly registry: Registry;
  readonly requestSchemas: RequestSchemas;
  readonly models: ModelFiles;
  readonly guardedReaders: GuardedReaders;
  readonly pluginFailures: PluginFailures;
  readonly host: PluginHost;
  readonly openers: Openers;
  readonly collections: SinkCollections;
  readonly service: Service;
}

export interface ServiceOptions {
  readonly config: Config;
  readonly log: Log;
  readonly shared: SharedBuffers;
  readonly registry: Registry;
  /** Environment variables; by default those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Access to hosted models; by default with the retries of a server. */
  readonly hosted?: HostedModels;
  readonly onPluginState?: OnPluginState;
  /** Threads for guarded readers; by default as many as there are worker threads. */
  readonly readerThreads?: number;
}

export function createServiceContainer({
  config,
  log,
  shared,
  registry,
  onPluginState,
  readerThreads,
  ...ofPlugins
}: ServiceOptions): AwilixContainer<ServiceCradle> {
  const container = createContainer<ServiceCradle>({ injectionMode: InjectionMode.PROXY, strict: true });
  return container.register({
    config: asValue(config),
    log: asValue(log),
    shared: asValue(shared),
    registry: asValue(registry),
    requestSchemas: asFunction(createRequestSchemas).singleton(),
    models: asFunction(makeModelFiles).singleton(),
    guardedReaders: closed(
      ({ config, registry }: ServiceCradle) => new GuardedReaders(config, registry.all, readerThreads),
    ),
    pluginFailures: asFunction(
      ({ log }: ServiceCradle) => new PluginFailures(log, onPluginState),
    ).singleton(),
    host: closed((given: ServiceCradle) => makeHost(given, ofPlugins)),
    openers: closed((given: ServiceCradle) => new Openers(given)),
    collections: closed(createSinkCollections),
    service: asClass(Service).singleton(),
  });
}

export function closed<Given extends object, T extends { close(): unknown }>(make: (given: Given) => T) {
  return asFunction(make)
    .singleton()
    .disposer((made) => made.close());
}

function makeModelFiles({ config, log, registry }: ServiceCradle): ModelFiles {
  const ownFolders = registry.all.map(({ file }) => join(dirname(file), 'models'));
  return createModelFiles({ settings: hubSettingsOf(config, homedir()), log, ownFolders });
}

function makeHost(
  cradle: ServiceCradle,
  { env = process.env, hosted = hostedModels }: Pick<ServiceOptions, 'env' | 'hosted'>,
): PluginHost {
  const { registry, log, shared, models, pluginFailures } = cradle;
  return createPluginHost({
    registry,
    log,
    env,
    shared: { shared, models, hosted },
    guard: (entry) => cradle.guardedReaders.reader(entry),
    wrap: (entry, plugin) => keepOpened(entry, plugin, log),
    onCreated: (entry, error) => pluginFailures.note(entry, error),
  });
}

function keepOpened<P extends object>({ manifest }: PluginEntry, plugin: P, log: Log): P {
  if (manifest.kind !== 'tokenizer') return plugin;
  return keepTokenizers(plugin as unknown as TokenizerProvider, log) as unknown as P;
}
