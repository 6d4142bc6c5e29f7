import { randomUUID } from 'node:crypto';
import type { Log } from '../../../core/contracts/collaborators.ts';
import { mayPass } from '../failures.ts';
import type { OpenDatabase } from '../open-database.ts';
import { cancelJob, createJob, removeJob, retryJob } from './change-jobs.ts';
import type { Claim, JobStore, QueueSettings, ShardProgress } from './contract.ts';
import { POSTGRESQL, type ShardTable, SQLITE } from './dialect.ts';
import type { PgBossTickets } from './pg-boss-tickets.ts';
import { addShards } from './plan-shards.ts';
import { getJob, listExpired, listJobs, listShards, readLoad, readUpload } from './read-jobs.ts';
import { commit, fail, giveBack } from './settle-shard.ts';
import { countGone, forgetDocuments, goneDocuments, noteFailed, noteStored } from './stored-documents.ts';
import type { JobTables } from './tables.ts';
import { renewLease, takeFirst } from './take.ts';

export type OpenJobStore = Omit<JobStore, 'open'>;

export async function openJobStore(
  opened: OpenDatabase,
  settings: QueueSettings,
  log: Log,
): Promise<OpenJobStore> {
  const dialect = opened.database.kind === 'postgresql' ? POSTGRESQL : SQLITE;
  const table: ShardTable = { em: opened.em, dialect, settings };
  const tables: JobTables = { ...table, tickets: await createTickets(opened, table, log) };
  const read = <T>(work: () => Promise<T>): Promise<T> => opened.calls.make(mayPass, work);
  const write = <T>(work: () => Promise<T>): Promise<T> =>
    read(async () => {
      const result = await work();
      await opened.checkFile();
      return result;
    });
  return {
    create(job) {
      const { id = randomUUID() } = job;
      return write(() => createJob(tables, job, id));
    },
    get: (id) => read(() => getJob(tables.em.fork(), id)),
    list: (page) => read(() => listJobs(tables, page)),
    shards: (id, page) => read(() => listShards(tables, id, page)),
    upload: (id) => read(() => readUpload(tables, id)),
    cancel: (id) => write(() => cancelJob(tables, id)),
    retry: (id) => write(() => retryJob(tables, id)),
    remove: (id) => write(() => removeJob(tables, id)),
    expired: (limit) => read(() => listExpired(tables, limit)),
    load: () => read(() => readLoad(tables)),
    claim: (worker) => write(() => claim(tables, worker)),
    renew: (claim, progress) => write(() => renew(tables, claim, progress)),
    addShards: (plan, from, shards) => write(() => addShards(tables, plan, from, shards)),
    commit: (claim, result) => write(() => commit(tables, claim, result)),
    fail: (claim, failure, isFinal) => write(() => fail(tables, claim, failure, isFinal)),
    giveBack: (claim) => write(() => giveBack(tables, claim)),
    noteStored: (...given) => write(() => noteStored(tables, ...given)),
    noteFailed: (...given) => write(() => noteFailed(tables, ...given)),
    goneDocuments: (...given) => read(() => goneDocuments(tables, ...given)),
    countGone: (...given) => read(() => countGone(tables, ...given)),
    forgetDocuments: (...given) => write(() => forgetDocuments(tables, ...given)),
  };
}

async function createTickets(
  { database, em, onClose }: OpenDatabase,
  table: ShardTable,
  log: Log,
): Promise<PgBossTickets | undefined> {
  if (database.kind !== 'postgresql') return undefined;
  const { PgBossTickets } = await import('./pg-boss-tickets.ts');
  const tickets = new PgBossTickets(table, em.getConnection().getConnectionOptions(), log);
  onClose(() => tickets.close());
  return tickets;
}

async function claim(tables: JobTables, worker: string): Promise<Claim | undefined> {
  for (;;) {
    const { tickets } = tables;
    const claim = await (tickets === undefined ? takeFirst(tables, worker) : tickets.claim(worker));
    if (claim === undefined || claim.failures < tables.settings.maxFailures) return claim;
    // The shard has crashed its workers too often, or has taken longer than its lease too often.
    await fail(tables, claim, { code: 'worker_lost', values: {} }, true);
  }
}

async function renew(tables: JobTables, claim: Claim, progress?: ShardProgress): Promise<boolean> {
  const isMine = await renewLease(tables, claim, progress);
  if (isMine) await tables.tickets?.renewed(claim);
  else tables.tickets?.lost(claim);
  return isMine;
}
