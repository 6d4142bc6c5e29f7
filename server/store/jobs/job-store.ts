import type { Log } from '../../../core/contracts/collaborators.ts';
import type { Config } from '../../config/config.ts';
import { unavailable } from '../errors.ts';
import { lazyStore } from '../lazy-store.ts';
import type { SharedDatabase } from '../open-database.ts';
import type { JobStore, QueueSettings } from './contract.ts';
import type { OpenJobStore } from './open-job-store.ts';

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
