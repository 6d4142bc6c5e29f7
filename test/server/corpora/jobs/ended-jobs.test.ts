import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { ServiceError } from '../../../../core/errors.ts';
import { expireJobs } from '../../../../server/corpora/jobs/remove-job.ts';
import type { JobPlaces, JobSpec } from '../../../../server/corpora/jobs/spec.ts';
import { createLocalFolder } from '../../../../server/corpora/storage/local-folder.ts';
import { quietLog } from '../../../../server/testing/collaborators.ts';
import { chunkInto, linesOf, untilOver } from '../../../soak/job-results.ts';
import { openJobs, sqlitePlace } from '../../../support/job-stores.ts';
import { outputOf, runJob, startJobServer } from '../../../support/jobs.ts';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../../support/plugins.ts';
import { failure } from '../../../support/stores.ts';
import { cancelAtAnyMoment } from './cancel-cases.ts';

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
  const id = await chunkInto({ api: server }, 'ends.jsonl', 'ends', {
    steps: [{ type: 'chunk', chunker: 'ending' }],
  });
  const job = await untilOver({ api: server }, id);
  t.match(job, { state: 'done', documents: { done: 97, failed: 3 }, shards: { done: 1 } });
  t.match(await outputOf(server, id, 'errors'), [
    { id: 'd000003', status: 500, detail: /^The worker/ },
    { id: 'd000050', status: 500, detail: /more memory than a worker has/ },
    { id: 'd000099', status: 500, detail: /^The worker/ },
  ]);
  t.equal((await outputOf(server, id)).length, 97);
});

t.test('a job that is cancelled at any moment leaves nothing running', (t) =>
  cancelAtAnyMoment(t, { api: server, root: server.root }, 8),
);

t.test('jobs whose time is over go with their files, and none keeps others from it', async (t) => {
  const names = ['lost', 'broken', 'old', 'new'];
  const ids: Record<string, string> = {};
  for (const name of names)
    ids[name] = (await runJob(server, { source, target: { path: `kept/${name}` } })).id;
  const database = new DatabaseSync(join(place.dataDir, 'chunksmith.db'), { timeout: 5000 });
  t.teardown(() => database.close());
  database.exec(`update bulk_jobs set expires_at = 1 where id <> '${ids.new}'`);
  const { store } = await openJobs(t, place);
  await expireJobs(store, brokenPlaces(server.root), quietLog);
  const kept = await readdir(join(server.root, 'kept'), { recursive: true });
  t.same(
    names.filter((name) => kept.some((file) => file.startsWith(`${name}/`))),
    ['lost', 'broken', 'new'],
    'those of which one cannot be reached stay',
  );
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

/** Places of which one no longer exists, and one does not answer now. */
function brokenPlaces(root: string): JobPlaces {
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
