import type { Log } from '../../../core/contracts/collaborators.ts';
import type { Config } from '../../config/config.ts';
import { type SharedDatabase, throwUnavailable } from '../create-database.ts';
import { unavailable } from '../errors.ts';
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
  const opened = () => open().catch(throwUnavailable);

  return {
    open: async () => void (await open()),
    create: async (job) => (await opened()).create(job),
    get: async (id) => (await opened()).get(id),
    list: async (page) => (await opened()).list(page),
    shards: async (id, page) => (await opened()).shards(id, page),
    upload: async (id) => (await opened()).upload(id),
    cancel: async (id) => (await opened()).cancel(id),
    retry: async (id) => (await opened()).retry(id),
    remove: async (id) => (await opened()).remove(id),
    expired: async (limit) => (await opened()).expired(limit),
    load: async () => (await opened()).load(),
    claim: async (worker) => (await opened()).claim(worker),
    renew: async (claim) => (await opened()).renew(claim),
    addShards: async (plan, from, shards) => (await opened()).addShards(plan, from, shards),
    commit: async (claim, result) => (await opened()).commit(claim, result),
    fail: async (claim, failure, isFinal) => (await opened()).fail(claim, failure, isFinal),
    giveBack: async (claim) => (await opened()).giveBack(claim),
    noteStored: async (...given) => (await opened()).noteStored(...given),
    noteFailed: async (...given) => (await opened()).noteFailed(...given),
    goneDocuments: async (...given) => (await opened()).goneDocuments(...given),
    countGone: async (...given) => (await opened()).countGone(...given),
    forgetDocuments: async (...given) => (await opened()).forgetDocuments(...given),
    async close() {
      isClosed = true;
      const store = await loading?.catch(() => undefined);
      await store?.close();
    },
  };
}
