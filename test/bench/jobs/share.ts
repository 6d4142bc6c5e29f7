import { createDatabase } from '../../../server/store/create-database.ts';
import { createJobStore } from '../../../server/store/jobs/job-store.ts';
import { quietLog } from '../../../server/testing/collaborators.ts';
import { JOB, NOTHING, RESULT, shardsOf } from '../../support/job-stores.ts';
import { noPostgres, startPostgres } from '../../support/postgres.ts';
import { number, printTable } from '../race/report.ts';
import { withCleanup } from './servers.ts';

const SHARDS = 2000;
const SHARD_MB = 33.5;
/** MB/s of one thread, of slow chunking and of fast. */
const SPEEDS = [10, 35];

/** What the queue itself costs for a shard, and its share of the time that a shard of the default size takes. */
export async function runShare(): Promise<void> {
  const rows: string[][] = [];
  for (const queue of ['SQLite', 'lease', 'pg-boss'] as const) {
    if (queue === 'SQLite' || noPostgres === false) rows.push(await measure(queue));
  }
  const header = ['', 'ms a shard', ...SPEEDS.map((speed) => `% at ${speed} MB/s`)];
  printTable(`Claim, renewal and commit of ${SHARDS} shards, one after the other`, header, rows);
}

const measure = (queue: 'SQLite' | 'lease' | 'pg-boss'): Promise<string[]> =>
  withCleanup(async (t, folder) => {
    const databaseUrl = queue === 'SQLite' ? '' : (await startPostgres(t)).freshUrl();
    const database = createDatabase({ dataDir: `${folder}/data`, databaseUrl }, quietLog);
    const settings = {
      queue: queue === 'SQLite' ? 'lease' : queue,
      leaseSeconds: 30,
      mostFailures: 5,
      pauseSeconds: 1,
    } as const;
    const store = createJobStore(database, settings, quietLog);
    try {
      await store.open();
      await store.create(JOB);
      const plan = await store.claim('bench');
      if (plan === undefined) throw new Error('no plan');
      await store.addShards(plan, 0, shardsOf(SHARDS));
      await store.commit(plan, NOTHING);
      const begin = performance.now();
      for (let count = 0; count < SHARDS; count++) {
        const claim = await store.claim('bench');
        if (claim === undefined) throw new Error(`no shard after ${count}`);
        await store.renew(claim);
        await store.commit(claim, RESULT);
      }
      const milliseconds = (performance.now() - begin) / SHARDS;
      const shares = SPEEDS.map((speed) => (milliseconds / ((SHARD_MB / speed) * 1000)) * 100);
      return [queue, number(milliseconds), ...shares.map((share) => share.toFixed(3))];
    } finally {
      await store.close();
      await database.close();
    }
  });
