import { type Dirent, existsSync, realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
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
  /** The folder of a package that is installed where the process was started, or above, without links. */
  packageFolder(name: string): string | undefined;
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
  hasPackage: (name, file) => packageFile(name, realpathSync(file)) !== undefined,
  packageFolder(name) {
    const file = packageFile(name, join(process.cwd(), 'package.json'));
    return file === undefined ? undefined : dirname(realpathSync(file));
  },
};

/** The `package.json` of a package as the imports of a file find it. */
function packageFile(name: string, importer: string): string | undefined {
  try {
    return findPackageJSON(name, pathToFileURL(importer));
  } catch {
    return undefined;
  }
}

function isFolderOrLink(entry: Dirent): boolean {
  return entry.isDirectory() || entry.isSymbolicLink();
}
