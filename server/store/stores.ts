import type { Log } from '../../core/contracts/collaborators.ts';
import type { Config } from '../config/config.ts';
import type { OpenPipelineStore, PipelineStore } from './contract.ts';
import { type SharedDatabase, throwUnavailable } from './create-database.ts';
import { unavailable } from './errors.ts';
import type { JobStore, QueueSettings } from './jobs/contract.ts';
import type { OpenJobStore } from './jobs/open-job-store.ts';

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

type Calls = Readonly<Record<PropertyKey, (...given: unknown[]) => unknown>>;

/**
 * A store that is opened at first use: each call waits for that.
 *
 * @param open returns the same one each time
 * @param own methods that need no open store
 */
function lazyStore<Store extends object, Own extends object>(
  open: () => Promise<Store>,
  own: Own,
): Store & Own & { open(): Promise<void> } {
  const target = { ...own, open: async () => void (await open()) };
  const call =
    (name: PropertyKey) =>
    async (...given: unknown[]) => {
      const store: object = await open().catch(throwUnavailable);
      return (store as Calls)[name]?.(...given);
    };
  return new Proxy(target, {
    get: (_, name) => (name in target || name === 'then' ? Reflect.get(target, name) : call(name)),
  }) as Store & typeof target;
}

/** How often a shard may fail, and the seconds before it is retried. */
const TRIES = { mostFailures: 5, pauseSeconds: 1 };

/** The queue settings of a configuration. */
export function queueOf({ bulkLease }: Pick<Config, 'bulkLease'>): QueueSettings {
  return { leaseSeconds: bulkLease, ...TRIES };
}

/** Stores jobs in the database, which it opens at first use. */
export function createJobStore(database: SharedDatabase, settings: QueueSettings, log: Log): JobStore {
  let loading: Promise<OpenJobStore> | undefined;
  let isClosed = false;

  const open = async (): Promise<OpenJobStore> => {
    if (isClosed) throw unavailable('the server is stopping');
    const opened = await database.open();
    loading ??= import('./jobs/open-job-store.ts').then(({ openJobStore }) =>
      openJobStore(opened, settings, log),
    );
    return loading;
  };
  return lazyStore(open, {
    async close() {
      isClosed = true;
      const store = await loading?.catch(() => undefined);
      await store?.close();
    },
  });
}
