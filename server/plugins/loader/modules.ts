import { realpathSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Imports a file, once. */
export function importModule(file: string): Promise<{ readonly default?: unknown }> {
  return import(pathToFileURL(file).href);
}

/** Whether a package resolves from a file as in the file's own imports, with links resolved. */
export function hasPackage(name: string, file: string): boolean {
  return packageFile(name, realpathSync(file)) !== undefined;
}

/** The folder of a package that is installed in the working directory, or above, with links resolved. */
export function packageFolder(name: string): string | undefined {
  const file = packageFile(name, join(process.cwd(), 'package.json'));
  return file === undefined ? undefined : dirname(realpathSync(file));
}

/** The `package.json` of a package as the imports of a file resolve it. */
function packageFile(name: string, importer: string): string | undefined {
  try {
    return findPackageJSON(name, pathToFileURL(importer));
  } catch {
    return undefined;
  }
}
