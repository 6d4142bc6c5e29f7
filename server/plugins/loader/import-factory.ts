import { dirname } from 'node:path';
import type { Factory } from '../../../core/contracts/plugin.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { ImportFailure } from '../../../core/hosting/plugin-error.ts';
import type { PluginEntry } from '../../../core/hosting/registry.ts';
import { importModule } from './modules.ts';
import { findModule } from './plugin-folders.ts';

/** The file of a plugin's factory: the `index` beside its manifest. */
export function indexOf({ file }: Pick<PluginEntry, 'file'>): string {
  return findModule(dirname(file), 'index') as string;
}

type Loaded = { readonly factory: Factory } | { readonly failure: ImportFailure; readonly cause?: unknown };

/** The factory that a file exports by default, or why there is none, with the error of the import. */
export async function loadFactory(file: string): Promise<Loaded> {
  try {
    const { default: factory } = await importModule(file);
    if (typeof factory === 'function') return { factory: factory as Factory };
    return { failure: { reason: 'the default export of its index is not a function' } };
  } catch (cause) {
    // What explains a failure starts processes, which nothing else of a thread does.
    const { explainImport } = await import('./import-error.ts');
    return { failure: await explainImport(cause, dirname(file)), cause };
  }
}

/**
 * Imports the factory of a plugin.
 *
 * @throws ServiceError `plugin_failed`, without a path, because callers see it
 */
export async function importFactory(entry: PluginEntry): Promise<Factory> {
  const loaded = await loadFactory(indexOf(entry));
  if ('factory' in loaded) return loaded.factory;
  const { kind, name } = entry.manifest;
  const { failure, cause } = loaded;
  const reason = 'cause' in loaded ? `${failure.reason}; the server's log says where` : failure.reason;
  throw new ServiceError('plugin_failed', { kind, name, reason }, cause);
}
