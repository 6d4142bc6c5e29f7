import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../core/contracts/collaborators.ts';
import type { Config } from '../config/config.ts';
import type { DatabaseSettings, PipelineStore } from './contract.ts';
import { createCalls, StoreOpenError, unavailable } from './failures.ts';
import type { JobStore, QueueSettings } from './jobs/contract.ts';
import type { OpenDatabase } from './open-database.ts';

/** Maximum milliseconds to wait for unfinished calls when the database is closed. */
const MAX_CLOSING = 5000;

export type SharedDatabase = ReturnType<typeof createDatabase>;

/** Loads the packages of the database only when the database is opened, to save time and memory. */
export function createDatabase(settings: DatabaseSettings, log: Log) {
  let opening: Promise<OpenDatabase> | undefined;
  let isClosed = false;
  const calls = createCalls();
  return {
    /**
     * Opens the database at the first call.
     *
     * @throws StoreOpenError
     * @throws ServiceError `store_unavailable` after the database was closed
     */
    async open(): Promise<OpenDatabase> {
      if (isClosed) throw unavailable('the server is stopping');
      opening ??= import('./open-database.ts').then(({ openDatabase }) => openDatabase(settings, log, calls));
      return opening;
    },
    isStuck: () => calls.areStuck(),
    async close(): Promise<void> {
      isClosed = true;
      const opened = await opening?.catch(() => undefined);
      // A blocked connection must not delay the end of the process.
      await Promise.race([opened?.close(), sleep(MAX_CLOSING, undefined, { ref: false })]);
    },
  };
}

export function createPipelineStore(database: SharedDatabase): PipelineStore {
  const load = async (opened: OpenDatabase) => (await import('./repository.ts')).createRepository(opened);
  return lazyStore(database, load, { isStuck: () => database.isStuck() });
}

type Calls = Readonly<Record<PropertyKey, (...given: unknown[]) => unknown>>;

/**
 * A store whose database and code are loaded at the first use. Each call waits until they are loaded.
 *
 * @param own methods that work before the store is open
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

function throwUnavailable(error: unknown): never {
  throw error instanceof StoreOpenError ? unavailable('it could not be opened', error) : error;
}

/** Maximum failures of a shard, and seconds before its first retry. */
const TRIES = { maxFailures: 5, pauseSeconds: 1 };

export function queueOf({ bulkLease }: Pick<Config, 'bulkLease'>): QueueSettings {
  return { leaseSeconds: bulkLease, ...TRIES };
}

export function createJobStore(database: SharedDatabase, settings: QueueSettings, log: Log): JobStore {
  const load = async (opened: OpenDatabase) =>
    (await import('./jobs/open-job-store.ts')).openJobStore(opened, settings, log);
  return lazyStore(database, load, {});
}
