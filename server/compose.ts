import { homedir } from 'node:os';
import { createPluginHost, type PluginHost } from '../core/container.ts';
import type { Log, SharedBuffers } from '../core/contracts.ts';
import type { Registry } from '../core/registry.ts';
import { type Config, settingsOf } from './config.ts';
import { BUILT_IN_PLUGINS, importFactory, loadRegistry } from './loader.ts';
import { createPluginCalls } from './plugin-calls.ts';
import { createService, type Service } from './service.ts';
import { createTokenizers } from './tokenizers.ts';

/** What one thread needs to serve requests. */
export interface Core {
  readonly registry: Registry;
  readonly host: PluginHost;
  readonly service: Service;
}

/** Wires the service of one thread: the main thread and every worker make the same from the same data. */
export async function composeCore(config: Config, log: Log, shared: SharedBuffers): Promise<Core> {
  const registry = await loadRegistry({
    folders: [BUILT_IN_PLUGINS, ...config.pluginsDir],
    only: config.plugins,
    env: process.env,
  });
  const host = createPluginHost(registry, importFactory, {
    settings: settingsOf(config, homedir()),
    log,
    shared,
  });
  const openTokenizer = createTokenizers(registry, host);
  const calls = createPluginCalls(registry, host, openTokenizer);
  const service = createService(calls, config.maxAnswerBytes);
  return { registry, host, service };
}
