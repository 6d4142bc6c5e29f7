import { globSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { suggest } from '../../engine/validation/suggest.ts';
import { findModule } from '../../plugins/loader/plugin-folders.ts';
import { UsageError } from '../errors.ts';

const MOST_SHOWN = 8;
/** Manifests of plugins that stand in a folder, or in folders of a kind in it. */
const PLUGINS = '{*,*/*}/manifest.{ts,js,mjs}';

/** The folder of a plugin as a whole path. @throws UsageError if there is none, with what may have been meant */
export function pluginFolder(given: string): string {
  const folder = resolve(given);
  if (!isFolder(folder)) throw new UsageError(notThere(given, folder));
  if (findModule(folder, 'manifest') !== undefined) return folder;
  const manifests = globSync(PLUGINS, { cwd: folder });
  const within = [...new Set(manifests.map((manifest) => join(given, dirname(manifest))))].sort();
  const shown = within.slice(0, MOST_SHOWN).join(', ');
  throw new UsageError(
    within.length > 0
      ? `${given} is no plugin itself: give one of those in it, ${shown}`
      : `${given} is no plugin: there is no manifest.ts, manifest.js or manifest.mjs in it`,
  );
}

function notThere(given: string, folder: string): string {
  const neighbours = globSync('*', { cwd: dirname(folder) });
  const near = suggest(basename(folder), neighbours);
  const hint = near === undefined ? '' : `, did you mean ${join(dirname(given), near)}?`;
  return `${given}: there is no such folder${hint}`;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
