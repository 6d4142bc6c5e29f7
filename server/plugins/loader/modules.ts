import { realpathSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Imports a file, once. */
export function importModule(file: string): Promise<{ readonly default?: unknown }> {
  return import(pathToFileURL(file).href);
}

/** Whether a package is found from a file as the file's own imports find it: from where a link leads. */
export function hasPackage(name: string, file: string): boolean {
  return packageFile(name, realpathSync(file)) !== undefined;
}

/** The folder of a package that is installed where the process was started, or above, without links. */
export function packageFolder(name: string): string | undefined {
  const file = packageFile(name, join(process.cwd(), 'package.json'));
  return file === undefined ? undefined : dirname(realpathSync(file));
}

/** The `package.json` of a package as the imports of a file find it. */
function packageFile(name: string, importer: string): string | undefined {
  try {
    return findPackageJSON(name, pathToFileURL(importer));
  } catch {
    return undefined;
  }
}
