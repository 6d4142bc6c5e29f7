import type { Log } from '../../core/contracts/collaborators.ts';
import type { DatabaseSettings, OpenPipelineStore, PipelineStore } from './contract.ts';
import { StoreOpenError, unavailable } from './errors.ts';

/** The packages of the database cost time and memory: none is loaded before the store is opened. */
export function createPipelineStore(settings: DatabaseSettings, log: Log): PipelineStore {
  let opening: Promise<OpenPipelineStore> | undefined;
  let isClosed = false;

  const open = async (): Promise<OpenPipelineStore> => {
    if (isClosed) throw unavailable('the server is stopping');
    opening ??= import('./open-repository.ts').then(({ openRepository }) => openRepository(settings, log));
    return opening;
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
    async close() {
      isClosed = true;
      const store = await opening?.catch(() => undefined);
      await store?.close();
    },
  };
}

function throwUnavailable(error: unknown): never {
  throw error instanceof StoreOpenError ? unavailable('it could not be opened', error) : error;
}
