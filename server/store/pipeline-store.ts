import type { OpenPipelineStore, PipelineStore } from './contract.ts';
import type { SharedDatabase } from './create-database.ts';
import { lazyStore } from './lazy-store.ts';

/** Keeps pipelines in the database, which it opens when it is first used. */
export function createPipelineStore(database: SharedDatabase): PipelineStore {
  let loading: Promise<OpenPipelineStore> | undefined;

  const open = async (): Promise<OpenPipelineStore> => {
    const opened = await database.open();
    loading ??= import('./repository.ts').then(({ createRepository }) => createRepository(opened));
    return loading;
  };
  return lazyStore(open, { isStuck: () => database.isStuck() });
}
