import { dirname } from 'node:path';
import type { Factory } from '../../../core/contracts/plugin.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { PluginEntry } from '../../../core/hosting/registry.ts';
import { explainImport } from './import-error.ts';
import { importModule } from './modules.ts';
import { findModule } from './plugin-folders.ts';

/** What is wrong with an index without a factory. */
export const NO_FACTORY = 'the default export of its index is not a function';

/** The file of a plugin's factory: the `index` beside its manifest. */
export function indexOf({ file }: Pick<PluginEntry, 'file'>): string {
  return findModule(dirname(file), 'index') as string;
}

/** The factory that a module exports by default, if it does. */
export function factoryIn({ default: factory }: { readonly default?: unknown }): Factory | undefined {
  return typeof factory === 'function' ? (factory as Factory) : undefined;
}

/**
 * Imports the factory of a plugin.
 *
 * @throws ServiceError `plugin_failed`, without a path, because callers see it
 */
export async function importFactory(entry: PluginEntry): Promise<Factory> {
  const { kind, name } = entry.manifest;
  const imported = await importModule(indexOf(entry)).catch(async (error: unknown) => {
    const { reason } = await explainImport(error, dirname(entry.file));
    throw new ServiceError(
      'plugin_failed',
      { kind, name, reason: `${reason}; the server's log says where` },
      error,
    );
  });
  const factory = factoryIn(imported);
  if (factory !== undefined) return factory;
  throw new ServiceError('plugin_failed', { kind, name, reason: NO_FACTORY });
}
