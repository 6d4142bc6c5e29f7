import type { Log } from '../../core/contracts/collaborators.ts';
import type { Config } from '../config/config.ts';
import type { PipelineStore } from './contract.ts';
import type { SharedDatabase } from './create-database.ts';
import { StoreOpenError, unavailable } from './errors.ts';
import type { JobStore, QueueSettings } from './jobs/contract.ts';
import type { OpenDatabase } from './open-database.ts';

/** Stores pipelines in the database, which it opens at first use. */
export function createPipelineStore(database: SharedDatabase): PipelineStore {
  const load = async (opened: OpenDatabase) => (await import('./repository.ts')).createRepository(opened);
  return lazyStore(database, load, { isStuck: () => database.isStuck() });
}

type Calls = Readonly<Record<PropertyKey, (...given: unknown[]) => unknown>>;

/**
 * A store whose database is opened at first use, and its code loaded: each call waits for that.
 *
 * @param own methods that need no open store
 */
function lazyStore<Store extends object, Own extends object>(
  database: SharedDatabase,
  load: (opened: OpenDatabase) => Promise<Store>,
  own: Own,
): Store & Own & { open(): Promise<void> } {
  let loading: Promise<Store> | undefined;
  const open = async () => {
    const opened = await database.open();
    loading ??= load(opened);
    return loading;
  };
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

/** The error for callers of a store that could not be opened. */
function throwUnavailable(error: unknown): never {
  throw error instanceof StoreOpenError ? unavailable('it could not be opened', error) : error;
}

/** How often a shard may fail, and the seconds before it is retried. */
const TRIES = { maxFailures: 5, pauseSeconds: 1 };

/** The queue settings of a configuration. */
export function queueOf({ bulkLease }: Pick<Config, 'bulkLease'>): QueueSettings {
  return { leaseSeconds: bulkLease, ...TRIES };
}

/** Stores jobs in the database, which it opens at first use. */
export function createJobStore(database: SharedDatabase, settings: QueueSettings, log: Log): JobStore {
  const load = async (opened: OpenDatabase) =>
    (await import('./jobs/open-job-store.ts')).openJobStore(opened, settings, log);
  return lazyStore(database, load, {});
}
