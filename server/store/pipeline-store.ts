import type { OpenPipelineStore, PipelineStore } from './contract.ts';
import { type SharedDatabase, throwUnavailable } from './create-database.ts';

/** Keeps pipelines in the database, which it opens when it is first used. */
export function createPipelineStore(database: SharedDatabase): PipelineStore {
  let loading: Promise<OpenPipelineStore> | undefined;

  const open = async (): Promise<OpenPipelineStore> => {
    const opened = await database.open();
    loading ??= import('./repository.ts').then(({ createRepository }) => createRepository(opened));
    return loading;
  };
  const opened = () => open().catch(throwUnavailable);

  return {
    open: async () => void (await open()),
    create: async (pipeline) => (await opened()).create(pipeline),
    list: async (page) => (await opened()).list(page),
    get: async (id) => (await opened()).get(id),
    update: async (id, changes, ifMatch) => (await opened()).update(id, changes, ifMatch),
    delete: async (id, ifMatch) => (await opened()).delete(id, ifMatch),
    ping: async () => (await opened()).ping(),
    isStuck: () => database.isStuck(),
  };
}
