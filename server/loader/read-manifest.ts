import { basename, dirname } from 'node:path';
import { type Manifest, manifestSchema } from '../../core/contracts/manifest.ts';
import { reasonOf, ServiceError } from '../../core/errors.ts';
import { checkSchema, createValidator } from '../validation/validator.ts';
import type { Disk } from './disk.ts';
import { malformed } from './plugin-folders.ts';

/** Makes a function that imports a manifest and checks it; it throws ServiceError `malformed_plugin`. */
export function createManifestReader(disk: Disk): (file: string) => Promise<Manifest> {
  const check = createValidator(manifestSchema);
  return async (file) => {
    let manifest: Manifest;
    try {
      const module = await disk.importModule(file);
      manifest = structuredClone(module.default) as Manifest;
      check(manifest, 'manifest.');
    } catch (error) {
      const problems = error instanceof ServiceError ? error.problems : [reasonOf(error)];
      throw malformed(file, problems.join('; '), error);
    }
    checkName(file, manifest);
    checkOptions(file, manifest);
    return manifest;
  };
}

function checkName(file: string, { name }: Manifest): void {
  const folder = basename(dirname(file));
  if (name !== folder) throw malformed(file, `its name is "${name}", but its folder is "${folder}"`);
}

function checkOptions(file: string, { options }: Manifest): void {
  try {
    if (options !== undefined) checkSchema(options);
  } catch (error) {
    throw malformed(file, `options: ${reasonOf(error)}`, error);
  }
}
