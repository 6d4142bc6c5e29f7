import {
  type Claim,
  type JobCounts,
  type JobStore,
  type NewJob,
  NO_COUNTS,
  NO_DOCUMENTS,
  type QueueSettings,
  type ShardResult,
} from '../../server/store/jobs/contract.ts';
import { createDatabase, createJobStore } from '../../server/store/stores.ts';
import { quietLog } from '../../server/testing/collaborators.ts';
import type { Postgres } from './postgres.ts';
import { type Cleanup, temporaryFolder } from './server.ts';
import type { Database } from './stores.ts';
import { until } from './until.ts';

/** A lease that only ends in a test if the test says so; pauses that are over at once. */
export const SETTINGS: QueueSettings = {
  leaseSeconds: 6,
  maxFailures: 3,
  pauseSeconds: 0.02,
};

export const JOB: NewJob = {
  spec: { steps: [] },
  digest: 'd',
  idempotencyKey: null,
  upload: null,
  maxErrors: null,
  notifies: false,
  keepSeconds: 1000,
};

/** What came of a shard of two documents, with two chunks each. */
export const RESULT: ShardResult = {
  counts: { ...NO_COUNTS, documents: 2, chunks: 4, bytes: 10 },
  output: { file: 'part' },
};

export const resultWith = (counts: Partial<JobCounts>): ShardResult => ({
  ...RESULT,
  counts: { ...RESULT.counts, ...counts },
});

/** A store of jobs with its database, for tests that look behind it. */
export type OpenJobs = Awaited<ReturnType<typeof openJobs>>;

/** Opens a store of jobs, which is closed after the test. */
export async function openJobs(t: Cleanup, place: Database, changes: Partial<QueueSettings> = {}) {
  const queue = { ...SETTINGS, ...changes };
  const database = createDatabase(place, quietLog);
  const store = createJobStore(database, queue, quietLog);
  t.teardown(() => database.close());
  await store.open();
  const { em } = await database.open();
  const sql = <Row extends object>(statement: string, values: unknown[] = []) =>
    em.fork().execute<Row[]>(statement, values);
  /** Claims; a ticket may take a moment to be handed out again. */
  const next = () => until(() => store.claim('w'));
  return {
    store,
    database,
    settings: { ...place, queue },
    sql,
    /** Lets the lease of a claim end, and the heartbeat of its ticket. */
    async lose({ jobId, seq }: Claim) {
      await sql('update bulk_shards set due_at = 0 where job_id = ? and seq = ?', [jobId, seq]);
      if (place.databaseUrl === '') return;
      const hourAgo = `heartbeat_on = now() - interval '1 hour'`;
      await sql(`update chunksmith_queue.job set ${hourAgo} where singleton_key = ?`, [`${jobId}/${seq}`]);
    },
    next,
    /** Creates a job and plans so many shards of 10 bytes; its id. */
    async plan(shards: number, changes?: Partial<NewJob>) {
      const { job } = await store.create({ ...JOB, ...changes });
      const claim = await next();
      if (claim.kind !== 'plan' || claim.jobId !== job.id) throw new Error(`not the plan: ${claim.kind}`);
      const isAdded = await store.addShards(claim, 0, shardsOf(shards));
      const isDone = await store.commit(claim, NO_DOCUMENTS);
      if (!isAdded || !isDone) throw new Error('the plan is lost');
      return job.id;
    },
    /** Does all that can be done now; the kinds and numbers of what was done. */
    drain: () => drain(store),
  };
}

/** Opens a store in a new database. */
export type OpenFresh = (t: Cleanup, changes?: Partial<QueueSettings>) => Promise<OpenJobs>;

export const openOnSqlite: OpenFresh = async (t, changes) => openJobs(t, await sqlitePlace(t), changes);

export const openOnPostgres =
  (server: Postgres): OpenFresh =>
  async (t, changes) =>
    openJobs(t, await postgresPlace(server), changes);

export const sqlitePlace = async (t: Cleanup): Promise<Database> => ({
  dataDir: `${await temporaryFolder(t)}/data`,
  databaseUrl: '',
});

export const postgresPlace = async (server: Postgres): Promise<Database> => ({
  dataDir: '/nowhere',
  databaseUrl: await server.newDatabase(),
});

export const shardsOf = (count: number) =>
  Array.from({ length: count }, (_, part) => ({ range: { part }, bytes: 10 }));

async function drain(store: JobStore): Promise<string[]> {
  const done: string[] = [];
  for (;;) {
    const claim = await store.claim('w');
    if (claim === undefined) return done;
    if (!(await store.commit(claim, claim.kind === 'chunk' ? RESULT : NO_DOCUMENTS)))
      throw new Error('refused');
    done.push(`${claim.kind} ${claim.seq}`);
  }
}
