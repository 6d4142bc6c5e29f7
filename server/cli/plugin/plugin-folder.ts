import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { DISK } from '../../loader/disk.ts';
import { findModule } from '../../loader/plugin-folders.ts';
import { suggest } from '../../validation/suggest.ts';
import { UsageError } from '../errors.ts';

const MOST_SHOWN = 8;

/** The folder of a plugin as a whole path. @throws UsageError if there is none, with what may have been meant */
export function pluginFolder(given: string): string {
  const folder = resolve(given);
  if (!isFolder(folder)) throw new UsageError(notThere(given, folder));
  if (isPlugin(folder)) return folder;
  const within = pluginsIn(folder).map((path) => join(given, relative(folder, path)));
  const shown = within.slice(0, MOST_SHOWN).join(', ');
  throw new UsageError(
    within.length > 0
      ? `${given} is no plugin itself: give one of those in it, ${shown}`
      : `${given} is no plugin: there is no manifest.ts, manifest.js or manifest.mjs in it`,
  );
}

function notThere(given: string, folder: string): string {
  const neighbours = foldersIn(dirname(folder)).map((path) => basename(path));
  const near = suggest(basename(folder), neighbours);
  const hint = near === undefined ? '' : `, did you mean ${join(dirname(given), near)}?`;
  return `${given}: there is no such folder${hint}`;
}

/** Plugins that stand in a folder, or in folders of a kind in it. */
function pluginsIn(folder: string): string[] {
  return foldersIn(folder).flatMap((path) => (isPlugin(path) ? [path] : foldersIn(path).filter(isPlugin)));
}

function isPlugin(folder: string): boolean {
  return findModule(folder, 'manifest', DISK) !== undefined;
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .sort()
      .map((name) => join(folder, name))
      .filter(isFolder);
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
