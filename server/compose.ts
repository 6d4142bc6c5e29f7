import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createPluginHost, type PluginHost } from '../core/container.ts';
import type { Log, SharedBuffers } from '../core/contracts.ts';
import { createEmbeddings, type Embeddings } from '../core/embeddings.ts';
import type { Registry } from '../core/registry.ts';
import { type Config, settingsOf } from './config.ts';
import { BUILT_IN_PLUGINS, importFactory, loadRegistry } from './loader.ts';
import { createModelFiles } from './models/model-files.ts';
import { createPluginCalls } from './plugin-calls.ts';
import { createService, type Service } from './service.ts';
import { createTokenizers } from './tokenizers.ts';

/** What one thread needs to serve requests. */
export interface Core {
  readonly registry: Registry;
  readonly host: PluginHost;
  readonly embeddings: Embeddings;
  readonly service: Service;
}

/** Wires the service of one thread: the main thread and every worker make the same from the same data. */
export async function composeCore(config: Config, log: Log, shared: SharedBuffers): Promise<Core> {
  const registry = await loadRegistry({
    folders: [BUILT_IN_PLUGINS, ...config.pluginsDir],
    only: config.plugins,
    env: process.env,
  });
  const settings = settingsOf(config, homedir());
  const ownFolders = registry.all.map(({ file }) => join(dirname(file), 'models'));
  const models = createModelFiles({ settings, log, ownFolders });
  const host = createPluginHost(registry, importFactory, { settings, log, shared, models }, process.env);
  const embeddings = createEmbeddings(registry, host, log, {
    models: config.maxModels,
    bytes: config.maxModelBytes,
  });
  const calls = createPluginCalls(registry, host, createTokenizers(registry, host), embeddings);
  const service = createService(calls, config);
  return { registry, host, embeddings, service };
}
