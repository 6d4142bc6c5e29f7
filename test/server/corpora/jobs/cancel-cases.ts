import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import type { ShardAnswer } from '../../../../server/corpora/jobs/answers.ts';
import type { Fleet } from '../../../soak/job-fleet.ts';
import { chunkInto, untilOver, writeCorpus } from '../../../soak/job-results.ts';
import { jobOf } from '../../../support/jobs.ts';
import { createRandom } from '../../../support/random.ts';
import { until } from '../../../support/until.ts';

/** Most milliseconds that a job runs. */
const LONGEST = 500;
const SEED = Date.now() % 1_000_000;
const DOCUMENTS = 100;

async function hasOpenShards({ api }: Pick<Fleet, 'api'>, id: string): Promise<boolean> {
  const open = ['ready', 'running'].map((state) => api.get(`/v1/jobs/${id}/shards?state=${state}`));
  const answers = await Promise.all(open);
  return answers.some(({ status, json }) => status === 200 && json<ShardAnswer[]>().length > 0);
}

const filesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

/** Jobs that are cancelled at any moment leave nothing running. */
export async function cancelAtAnyMoment(t: Test, fleet: Pick<Fleet, 'api' | 'root'>, times: number) {
  const { api, root } = fleet;
  await writeCorpus(join(root, 'in.jsonl'), { documents: DOCUMENTS, words: 300, seed: SEED });
  const random = createRandom(SEED);
  const ended: Record<string, number> = {};
  for (let count = 0; count < times; count++) {
    const target = `out-${count}`;
    const id = await chunkInto(fleet, 'in.jsonl', target);
    await sleep(random() * LONGEST);
    const answer = await api.post(`/v1/jobs/${id}/cancel`, '');
    const { state } = answer.json<{ state: string }>();
    ended[state] = (ended[state] ?? 0) + 1;
    if (await hasOpenShards(fleet, id)) t.fail(`${target}: open shards, seed ${SEED}`);
    // The others are removed at once.
    if (count % 2 === 1) {
      const isTidy = async () => !(await filesIn(join(root, target))).some((file) => file.includes('.tmp-'));
      await until(isTidy).catch(() => t.fail(`${target}: unfinished files, seed ${SEED}`));
      t.equal((await jobOf(api, id)).state, state, 'it stays as it is');
    }
    t.equal((await api.send(`/v1/jobs/${id}`, { method: 'DELETE' })).status, 204);
  }
  const left = async () => {
    const all = Array.from({ length: times }, (_, count) => filesIn(join(root, `out-${count}`)));
    return (await Promise.all(all)).flat();
  };
  await until(async () => (await left()).length === 0).catch(() => {});
  t.same(await left(), [], `nothing is left of jobs that were removed, seed ${SEED}`);
  t.ok((ended.cancelled ?? 0) >= times / 4, JSON.stringify(ended));
  const id = await chunkInto(fleet, 'in.jsonl', 'last');
  t.match(await untilOver(fleet, id), { state: 'done', documents: { done: DOCUMENTS - 1, failed: 1 } });
}
