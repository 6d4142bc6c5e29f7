import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Factory } from '../../../core/contracts/plugin.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { PluginEntry } from '../../../core/hosting/registry.ts';
import { importModule } from './modules.ts';
import { findModule } from './plugin-folders.ts';

/**
 * Imports the factory of a plugin: the default export of the `index` beside its manifest.
 *
 * @throws ServiceError `plugin_failed`; callers see the message, so only the cause may contain paths
 */
export async function importFactory({ file, manifest: { kind, name } }: PluginEntry): Promise<Factory> {
  const folder = dirname(file);
  const fail = (reason: string, cause?: unknown) =>
    new ServiceError('plugin_failed', { kind, name, reason }, cause);
  let factory: unknown;
  try {
    factory = (await importModule(findModule(folder, 'index') as string)).default;
  } catch (error) {
    throw fail(`${describeImportError(error)}; the server's log says why`, error);
  }
  if (typeof factory === 'function') return factory as Factory;
  throw fail('the default export of its index is not a function');
}

/** Describes a failed import without secrets: `its import fails with TypeError`. */
export function describeImportError(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  const word = [code, name].find((one) => typeof one === 'string' && /^[A-Z]\w{1,60}$/i.test(one));
  return `its import fails with ${word ?? 'an error'}`;
}

/** Appends the plugin's file and line from the error's stack, if found: `no luck (lib/parse.js:12)`. */
export function withLine(text: string, error: unknown, folder: string): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const root = existsSync(folder) ? realpathSync(folder) : folder;
  const [, ...behind] = stack.replaceAll(encodeURI(root), root).split(`${root}/`);
  const line = behind.map((rest) => /^[^\n():'"]+:\d+/.exec(rest)?.[0]).find((one) => one !== undefined);
  return line === undefined ? text : `${text} (${line})`;
}
