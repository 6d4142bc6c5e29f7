import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createDatabase } from '../../server/store/create-database.ts';
import type { QueueSettings } from '../../server/store/jobs/contract.ts';
import { createJobStore } from '../../server/store/jobs/job-store.ts';
import { quietLog } from '../../server/testing/collaborators.ts';
import { drain, RESULT } from './job-stores.ts';

/**
 * The program of a process that works on jobs beside others: `job-worker.ts <what> <place and queue as JSON>`.
 * `drain` does all there is and prints how many shards it did. `hold` takes a shard, prints it, renews it until a line
 * comes in, commits it then and prints whether that counted.
 */
const [what, given = ''] = process.argv.slice(2);
const settings = JSON.parse(given) as { dataDir: string; databaseUrl: string; queue: QueueSettings };
const database = createDatabase(settings, quietLog);
const store = createJobStore(database, settings.queue, quietLog);
if (what === 'drain') console.log((await drain(store)).length);
else await hold();
await store.close();
await database.close();

async function hold(): Promise<void> {
  const claim = await store.claim(`process ${process.pid}`);
  if (claim === undefined) throw new Error('there is nothing to do');
  console.log(JSON.stringify(claim));
  const renewing = setInterval(() => void store.renew(claim), settings.queue.leaseSeconds * 300);
  const lines = createInterface(process.stdin);
  await once(lines, 'line');
  lines.close();
  clearInterval(renewing);
  console.log(await store.commit(claim, RESULT));
}
