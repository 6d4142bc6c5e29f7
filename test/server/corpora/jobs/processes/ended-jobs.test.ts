import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { ServiceError } from '../../../../../core/errors.ts';
import type { ShardAnswer } from '../../../../../server/corpora/jobs/answers.ts';
import { expireJobs } from '../../../../../server/corpora/jobs/remove-job.ts';
import type { JobLocations, JobSpec } from '../../../../../server/corpora/jobs/spec.ts';
import { createLocalFolder } from '../../../../../server/corpora/storage/local/folder.ts';
import { quietLog } from '../../../../../server/testing/collaborators.ts';
import { chunkInto, linesOf, untilOver, writeCorpus } from '../../../../soak/job-results.ts';
import { openJobs, sqlitePlace } from '../../../../support/job-stores.ts';
import { jobOf, outputOf, runJob, startJobServer } from '../../../../support/jobs.ts';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../../../support/plugins.ts';
import { createRandom } from '../../../../support/random.ts';
import { failure } from '../../../../support/stores.ts';
import { until } from '../../../../support/until.ts';

/** Jobs that do not end well, are cancelled or removed, or whose time is over. */

/** The ways in which a document ends its thread. */
const ENDING = chunker(
  'ending',
  `if (text === 'END') process.exit(1);
  if (text === 'END-OF-HEAP') for (const all = []; ; ) all.push(new Array(1e5).fill(all.length));
  ${WHOLE_TEXT}`,
);
const place = await sqlitePlace(t);
const pluginsDir = [await pluginsFolder(t, ENDING)];
const config = { ...place, workers: 1, workerMemoryMb: 64, bulkShardBytes: 25_000, pluginsDir };
const server = await startJobServer(t, { 'a.txt': 'one two' }, config);
const source = { path: 'a.txt' };

t.test('a document that ends its thread is an error of its own', async (t) => {
  const ends: Record<number, string> = { 3: 'END', 50: 'END-OF-HEAP', 99: 'END' };
  const lines = linesOf(100, (index) => ends[index] ?? 'harmless words');
  await writeFile(join(server.root, 'ends.jsonl'), lines);
  const id = await chunkInto(server, 'ends.jsonl', 'ends', {
    steps: [{ type: 'chunk', chunker: 'ending' }],
  });
  const job = await untilOver(server, id);
  t.match(job, { state: 'done', documents: { done: 97, failed: 3 }, shards: { done: 1 } });
  t.match(await outputOf(server, id, 'errors'), [
    { id: 'd000003', status: 500, detail: /^The worker/ },
    { id: 'd000050', status: 500, detail: /more memory than a worker has/ },
    { id: 'd000099', status: 500, detail: /^The worker/ },
  ]);
  t.equal((await outputOf(server, id)).length, 97);
});

const SEED = Date.now() % 1_000_000;
const DOCUMENTS = 100;
/** Jobs that are cancelled. */
const CANCELLED = 8;

async function hasOpenShards(id: string): Promise<boolean> {
  const open = ['ready', 'running'].map((state) => server.get(`/v1/jobs/${id}/shards?state=${state}`));
  const answers = await Promise.all(open);
  return answers.some(({ status, json }) => status === 200 && json<ShardAnswer[]>().length > 0);
}

const filesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

t.test('a job that is cancelled at any moment leaves nothing running', async (t) => {
  await writeCorpus(join(server.root, 'in.jsonl'), { documents: DOCUMENTS, words: 300, seed: SEED });
  const random = createRandom(SEED);
  // How long a job takes depends on the machine: one that ends before it is cancelled halves the time for the next.
  let longest = 2000;
  const ended: Record<string, number> = {};
  for (let count = 0; count < CANCELLED; count++) {
    const target = `out-${count}`;
    const id = await chunkInto(server, 'in.jsonl', target);
    await sleep(random() * longest);
    const answer = await server.post(`/v1/jobs/${id}/cancel`, '');
    const { state } = answer.json<{ state: string }>();
    ended[state] = (ended[state] ?? 0) + 1;
    if (state === 'done') longest /= 2;
    if (await hasOpenShards(id)) t.fail(`${target}: open shards, seed ${SEED}`);
    // The others are removed at once.
    if (count % 2 === 1) {
      const isTidy = async () =>
        !(await filesIn(join(server.root, target))).some((file) => file.includes('.tmp-'));
      await until(isTidy).catch(() => t.fail(`${target}: unfinished files, seed ${SEED}`));
      t.equal((await jobOf(server, id)).state, state, 'it stays as it is');
    }
    t.equal((await server.send(`/v1/jobs/${id}`, { method: 'DELETE' })).status, 204);
  }
  const left = async () => {
    const all = Array.from({ length: CANCELLED }, (_, count) => filesIn(join(server.root, `out-${count}`)));
    return (await Promise.all(all)).flat();
  };
  await until(async () => (await left()).length === 0).catch(() => {});
  t.same(await left(), [], `nothing is left of jobs that were removed, seed ${SEED}`);
  t.ok((ended.cancelled ?? 0) >= 2, JSON.stringify(ended));
  const id = await chunkInto(server, 'in.jsonl', 'last');
  t.match(await untilOver(server, id), {
    state: 'done',
    documents: { done: DOCUMENTS - 1, failed: 1 },
  });
});

t.test('jobs whose time is over go with their files, and none keeps others from it', async (t) => {
  const names = ['lost', 'broken', 'old', 'new'];
  const ids: Record<string, string> = {};
  for (const name of names)
    ids[name] = (await runJob(server, { source, target: { path: `kept/${name}` } })).id;
  const database = new DatabaseSync(join(place.dataDir, 'chunksmith.db'), { timeout: 5000 });
  t.teardown(() => database.close());
  database.exec(`update bulk_jobs set expires_at = 1 where id <> '${ids.new}'`);
  const { store } = await openJobs(t, place);
  await expireJobs(store, brokenLocations(server.root), quietLog);
  const kept = await readdir(join(server.root, 'kept'), { recursive: true });
  const unreached = names.filter((name) => kept.some((file) => file.startsWith(`${name}/`)));
  t.same(unreached, ['lost', 'broken', 'new'], 'those of which one cannot be reached stay');
  const isGone = async (name: string) => (await failure(store.get(ids[name] ?? ''))) === 'job_not_found';
  t.ok(await isGone('lost'), 'without a connection there is nothing to wait for');
  t.notOk(await isGone('broken'), 'what may be reached later is tried again');
  t.ok(await isGone('old'));
  t.notOk(await isGone('new'));
  const left = database.prepare('select distinct job_id from bulk_shards').all();
  t.same(left.map((row) => row.job_id).sort(), [ids.broken, ids.new].sort());
});

const UNREACHABLE = new Map([
  ['kept/lost', new ServiceError('unknown_connection', { name: 'lost', known: 'none' })],
  ['kept/broken', new ServiceError('storage_failed', { storage: 'it', reason: 'gone' })],
]);

/** Locations of which one no longer exists, and one does not answer now. */
function brokenLocations(root: string): JobLocations {
  const storage = createLocalFolder(root);
  return {
    source: async () => ({ storage, from: { path: '' } }),
    async target({ target }: JobSpec) {
      const error = UNREACHABLE.get(target.path);
      if (error !== undefined) throw error;
      return { storage, folder: target.path };
    },
  };
}
