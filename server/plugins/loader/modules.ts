import { realpathSync } from 'node:fs';
import { findPackageJSON, registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MODULE_ENDING } from '../../config/module-ending.ts';

/** URLs of the modules of this program that plugins may import, by import specifier. */
const DOORS: ReadonlyMap<string, string> = new Map(
  Object.entries({ 'chunksmith/kit': 'core/kit', 'chunksmith/toolkit': 'plugins/toolkit/index' }).map(
    ([name, file]) => [name, new URL(`../../../${file}${MODULE_ENDING}`, import.meta.url).href],
  ),
);

// Makes plugins in any folder import these modules from the running server.
registerHooks({
  resolve(specifier, context, next) {
    const url = DOORS.get(specifier);
    return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
  },
});

export function importModule(file: string): Promise<{ readonly default?: unknown }> {
  return import(pathToFileURL(file).href);
}

/** Whether the module `file` could import a package. Symbolic links are resolved first. */
export function hasPackage(name: string, file: string): boolean {
  return packageFile(name, realpathSync(file)) !== undefined;
}

/** The real path of a package installed in the working directory or a parent folder. */
export function packageFolder(name: string): string | undefined {
  const file = packageFile(name, join(process.cwd(), 'package.json'));
  return file === undefined ? undefined : dirname(realpathSync(file));
}

function packageFile(name: string, importer: string): string | undefined {
  try {
    return findPackageJSON(name, pathToFileURL(importer));
  } catch {
    return undefined;
  }
}
