import { type Dirent, existsSync, realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What the loader asks of the disk and of Node; a test gives a map instead. */
export interface Disk {
  /**
   * The folders in a folder, and the links, as paths in the order of their names.
   *
   * @throws Error if the folder cannot be read
   */
  subfolders(folder: string): Promise<readonly string[]>;
  exists(path: string): boolean;
  /** Imports a file, once. */
  importModule(file: string): Promise<{ readonly default?: unknown }>;
  /** Whether a package is found from a file as the file's own imports find it: from where a link leads. */
  hasPackage(name: string, file: string): boolean;
}

export const DISK: Disk = {
  async subfolders(folder) {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter(isFolderOrLink)
      .map(({ name }) => join(folder, name))
      .sort();
  },
  exists: existsSync,
  importModule: (file) => import(pathToFileURL(file).href),
  hasPackage(name, file) {
    try {
      return findPackageJSON(name, pathToFileURL(realpathSync(file))) !== undefined;
    } catch {
      return false;
    }
  },
};

function isFolderOrLink(entry: Dirent): boolean {
  return entry.isDirectory() || entry.isSymbolicLink();
}
