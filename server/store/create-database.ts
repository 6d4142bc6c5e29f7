import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../core/contracts/collaborators.ts';
import { createCalls } from './calls.ts';
import type { DatabaseSettings } from './contract.ts';
import { unavailable } from './errors.ts';
import type { OpenDatabase } from './open-database.ts';

/** Milliseconds for calls in progress when the database is closed. */
const MAX_CLOSING = 5000;

/** The one database of a process, which all of its stores share. */
export type SharedDatabase = ReturnType<typeof createDatabase>;

/** The packages of the database cost time and memory: none is loaded before it is opened. */
export function createDatabase(settings: DatabaseSettings, log: Log) {
  let opening: Promise<OpenDatabase> | undefined;
  let isClosed = false;
  const calls = createCalls();
  return {
    /**
     * Opens it at the first call.
     *
     * @throws StoreOpenError
     * @throws ServiceError `store_unavailable` once it is closed
     */
    async open(): Promise<OpenDatabase> {
      if (isClosed) throw unavailable('the server is stopping');
      opening ??= import('./open-database.ts').then(({ openDatabase }) => openDatabase(settings, log, calls));
      return opening;
    },
    /** Whether a call has not been answered for a minute. */
    isStuck: () => calls.areStuck(),
    /** Ends its stores too. */
    async close(): Promise<void> {
      isClosed = true;
      const opened = await opening?.catch(() => undefined);
      // Whatever holds a connection must not delay the end of the process.
      await Promise.race([opened?.close(), sleep(MAX_CLOSING, undefined, { ref: false })]);
    },
  };
}
