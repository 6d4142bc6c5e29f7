import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { ShardAnswer } from '../../server/jobs/shard-answer.ts';
import { createRandom } from '../soak/texts.ts';
import { chunkInto, type Fleet, startFleet, untilOver, writeCorpus } from '../support/job-fleet.ts';
import { postgresPlace, sqlitePlace } from '../support/job-stores.ts';
import { jobOf } from '../support/jobs.ts';
import { noPostgres, startPostgres } from '../support/postgres.ts';
import { until } from '../support/process.ts';
import { temporaryFolder } from '../support/server.ts';

const TIMES = 20;
/** Most milliseconds that a job runs. */
const LONGEST = 500;
const SEED = Date.now() % 1_000_000;

async function openShards({ api }: Fleet, id: string): Promise<number> {
  const counts = ['ready', 'running'].map(async (state) => {
    const answer = await api.get(`/v1/jobs/${id}/shards?state=${state}`);
    return answer.status === 200 ? answer.json<ShardAnswer[]>().length : 0;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

const filesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

for (const [name, skip] of [
  ['SQLite', false],
  ['PostgreSQL, pg-boss', noPostgres],
] as const) {
  t.test(`a job that is cancelled at any moment leaves nothing running: ${name}`, { skip }, async (t) => {
    const root = await temporaryFolder(t);
    await writeCorpus(join(root, 'in.jsonl'), { documents: 200, words: 700, seed: SEED });
    const place = name === 'SQLite' ? await sqlitePlace(t) : postgresPlace(await startPostgres(t));
    const fleet = await startFleet(t, place, { queue: 'pg-boss', root, shardBytes: 50_000 });
    const workers = [fleet.worker(), fleet.worker()];
    await Promise.all(workers.map((worker) => worker.listening()));
    const random = createRandom(SEED);
    const ended: Record<string, number> = {};
    for (let count = 0; count < TIMES; count++) {
      const target = `out-${count}`;
      const folder = join(root, target);
      const id = await chunkInto(fleet, 'in.jsonl', target);
      await sleep(random() * LONGEST);
      const answer = await fleet.api.post(`/v1/jobs/${id}/cancel`, '');
      const { state } = answer.json<{ state: string }>();
      ended[state] = (ended[state] ?? 0) + 1;
      if ((await openShards(fleet, id)) > 0) t.fail(`${target}: open shards, seed ${SEED}`);
      const isRemovedAtOnce = count % 2 === 0;
      if (!isRemovedAtOnce) {
        const isTidy = async () => !(await filesIn(folder)).some((file) => file.includes('.tmp-'));
        await until(isTidy).catch(() => t.fail(`${target}: unfinished files, seed ${SEED}`));
        t.equal((await jobOf(fleet.api, id)).state, state, 'it stays as it is');
      }
      t.equal((await fleet.api.send(`/v1/jobs/${id}`, { method: 'DELETE' })).status, 204);
    }
    const left = async () => {
      const all = Array.from({ length: TIMES }, (_, count) => filesIn(join(root, `out-${count}`)));
      return (await Promise.all(all)).flat();
    };
    await until(async () => (await left()).length === 0).catch(() => {});
    t.same(await left(), [], `nothing is left of jobs that were removed, seed ${SEED}`);
    t.ok((ended.cancelled ?? 0) >= TIMES / 4, JSON.stringify(ended));
    const id = await chunkInto(fleet, 'in.jsonl', 'last');
    t.match(await untilOver(fleet, id), { state: 'done', documents: { done: 198, failed: 2 } });
  });
}
