import { enableCompileCache } from 'node:module';
import { dirname } from 'node:path';
import type { ImportFailure } from '../../../core/hosting/capability.ts';
import { explainImport } from './import-error.ts';
import { factoryIn, NO_FACTORY } from './import-factory.ts';
import { importModule } from './modules.ts';

/** The problem of the factory in a file; null if there is none. */
export type ImportOutcome = ImportFailure | null;

async function tryImport(file: string): Promise<ImportOutcome> {
  try {
    return factoryIn(await importModule(file)) === undefined ? { reason: NO_FACTORY } : null;
  } catch (error) {
    return explainImport(error, dirname(file));
  }
}

/**
 * Entry of the process that imports factories: it receives a list of files, and sends an outcome for each, in order.
 */
process.once('message', async (files: readonly string[]) => {
  enableCompileCache();
  for (const file of files) process.send?.(await tryImport(file));
});
