import type { Log } from '../core/contracts/collaborators.ts';
import type { Collaborators } from '../core/contracts/plugin.ts';
import type { Reader } from '../core/contracts/reader.ts';
import { PluginHost, type PluginHostOptions } from '../core/hosting/container.ts';
import { isGuarded, type PluginEntry } from '../core/hosting/registry.ts';
import { readMachine } from './config/option.ts';
import { createCheck } from './engine/validation/validator.ts';
import { importFactory } from './plugins/loader/import-factory.ts';

export interface ThreadHostOptions extends Pick<PluginHostOptions, 'registry' | 'wrap' | 'onCreated'> {
  readonly log: Log;
  /** Collaborators that guarded readers do not receive. Undefined in the threads that run guarded readers. */
  readonly shared?: Pick<Collaborators, 'shared' | 'models' | 'hosted'>;
  /** Creates a guarded reader in another thread. By default, guarded readers run in this thread. */
  readonly guard?: (entry: PluginEntry) => Promise<Reader>;
  readonly env: Collaborators['env'];
}

/** Wires the plugins of one thread. This file imports little, because each guarded file may need a new thread. */
export function createPluginHost({ log, shared, guard, ...options }: ThreadHostOptions): PluginHost {
  return new PluginHost({
    ...options,
    importFactory: async (entry) =>
      guard !== undefined && isGuarded(entry) ? () => guard(entry) : importFactory(entry),
    collaborators: { log, createCheck, memoryBytes: readMachine().memoryBytes, ...shared },
  });
}
