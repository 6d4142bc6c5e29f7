import { enableCompileCache } from 'node:module';
import type { ImportFailure } from '../../../core/hosting/plugin-error.ts';
import { loadFactory } from './import-factory.ts';

/** The problem of the factory in a file; null if there is none. */
export type ImportOutcome = ImportFailure | null;

/**
 * Entry of the process that imports factories: it receives a list of files, and sends an outcome for each, in order.
 */
process.once('message', async (files: readonly string[]) => {
  enableCompileCache();
  for (const file of files) {
    const loaded = await loadFactory(file);
    process.send?.('failure' in loaded ? loaded.failure : null);
  }
});
