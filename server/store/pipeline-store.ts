import type { OpenPipelineStore, PipelineStore } from './contract.ts';
import { lazyStore } from './lazy-store.ts';
import type { SharedDatabase } from './open-database.ts';

/** Stores pipelines in the database, which it opens at first use. */
export function createPipelineStore(database: SharedDatabase): PipelineStore {
  let loading: Promise<OpenPipelineStore> | undefined;

  const open = async (): Promise<OpenPipelineStore> => {
    const opened = await database.open();
    loading ??= import('./repository.ts').then(({ createRepository }) => createRepository(opened));
    return loading;
  };
  return lazyStore(open, { isStuck: () => database.isStuck() });
}
