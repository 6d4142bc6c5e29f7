import type { Log } from '../../core/contracts/collaborators.ts';
import type { DatabaseSettings } from './contract.ts';
import { StoreOpenError, unavailable } from './errors.ts';
import type { OpenDatabase } from './open-database.ts';

/** The one database of a process, which all of its stores share. */
export interface SharedDatabase {
  /**
   * Opens it when it is first called.
   *
   * @throws StoreOpenError
   * @throws ServiceError `store_unavailable` once it is closed
   */
  open(): Promise<OpenDatabase>;
  close(): Promise<void>;
}

/** The packages of the database cost time and memory: none is loaded before it is opened. */
export function createDatabase(settings: DatabaseSettings, log: Log): SharedDatabase {
  let opening: Promise<OpenDatabase> | undefined;
  let isClosed = false;
  return {
    async open() {
      if (isClosed) throw unavailable('the server is stopping');
      opening ??= import('./open-database.ts').then(({ openDatabase }) => openDatabase(settings, log));
      return opening;
    },
    async close() {
      isClosed = true;
      const opened = await opening?.catch(() => undefined);
      await opened?.orm.close(true);
    },
  };
}

/** For `catch`: what callers of a store are told if it could not be opened. */
export function throwUnavailable(error: unknown): never {
  throw error instanceof StoreOpenError ? unavailable('it could not be opened', error) : error;
}
