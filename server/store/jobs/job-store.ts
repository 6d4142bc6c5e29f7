import type { Log } from '../../../core/contracts/collaborators.ts';
import type { Config } from '../../config/config.ts';
import type { SharedDatabase } from '../create-database.ts';
import { unavailable } from '../errors.ts';
import { lazyStore } from '../lazy-store.ts';
import type { JobStore, QueueSettings } from './contract.ts';
import type { OpenJobStore } from './open-job-store.ts';

/** How often a shard may fail, and the seconds before it is tried again. */
const TRIES = { mostFailures: 5, pauseSeconds: 1 };

/** The settings of a queue that a configuration asks for. */
export function queueOf({ bulkLease }: Pick<Config, 'bulkLease'>): QueueSettings {
  return { leaseSeconds: bulkLease, ...TRIES };
}

/** Keeps jobs in the database, which it opens when it is first used. */
export function createJobStore(database: SharedDatabase, settings: QueueSettings, log: Log): JobStore {
  let loading: Promise<OpenJobStore> | undefined;
  let isClosed = false;

  const open = async (): Promise<OpenJobStore> => {
    if (isClosed) throw unavailable('the server is stopping');
    const opened = await database.open();
    loading ??= import('./open-job-store.ts').then(({ openJobStore }) => openJobStore(opened, settings, log));
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
