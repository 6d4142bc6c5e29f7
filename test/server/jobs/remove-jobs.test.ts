import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { ServiceError } from '../../../core/errors.ts';
import { createLocalFolder } from '../../../server/corpus/local-folder.ts';
import { expireJobs } from '../../../server/jobs/expire-jobs.ts';
import type { JobPlaces } from '../../../server/jobs/places.ts';
import type { JobSpec } from '../../../server/jobs/spec.ts';
import { quietLog } from '../../../server/testing/collaborators.ts';
import { openJobs, sqlitePlace } from '../../support/job-stores.ts';
import { createJob, JOBS, outputOf, runJob, startJobServer, untilState } from '../../support/jobs.ts';
import { failure } from '../../support/stores.ts';

/** Jobs that go, because they are removed or their time is over. */

t.test(
  'what is removed of a job that found its folder taken is not the output of the other one',
  async (t) => {
    const server = await startJobServer(t, { 'a.txt': 'one' });
    const target = { path: 'out' };
    const first = await runJob(server, { source: { path: 'a.txt' }, target });
    const second = await createJob(server, { source: { path: 'a.txt' }, target });
    await untilState(server, second.id, 'failed');
    t.equal((await server.send(`${JOBS}/${second.id}`, { method: 'DELETE' })).status, 204);
    t.equal((await outputOf(server, first.id)).length, 1);
    await writeFile(join(server.root, 'out', 'own.txt'), 'not of the job');
    t.equal((await server.send(`${JOBS}/${first.id}`, { method: 'DELETE' })).status, 204);
    t.same(await readdir(join(server.root, 'out')), ['own.txt']);
  },
);

t.test('jobs whose time is over go with their files, and none keeps others from it', async (t) => {
  const place = await sqlitePlace(t);
  const server = await startJobServer(t, { 'a.txt': 'one two' }, place);
  const ids: string[] = [];
  for (const name of ['lost', 'broken', 'old', 'new']) {
    const { id } = await runJob(server, { source: { path: 'a.txt' }, target: { path: name } });
    ids.push(id);
  }
  const running = await createJob(server, { source: { path: 'a.txt' }, target: { path: 'last' } });
  await untilState(server, running.id, 'done');
  const database = new DatabaseSync(join(place.dataDir, 'chunksmith.db'), { timeout: 5000 });
  t.teardown(() => database.close());
  database.exec(`update bulk_jobs set expires_at = 1 where id <> '${ids[3]}'`);
  const { store } = await openJobs(t, place);
  await expireJobs(store, brokenPlaces(server.root), quietLog);
  t.same(
    await filesOf(server.root),
    ['broken/', 'lost/', 'new/'],
    'those of which one cannot be reached stay',
  );
  t.equal(
    await failure(store.get(ids[0] as string)),
    'job_not_found',
    'without a connection there is nothing to wait for',
  );
  t.equal((await store.get(ids[1] as string)).state, 'done', 'what may be reached later is tried again');
  t.equal(await failure(store.get(ids[2] as string)), 'job_not_found');
  t.equal(await failure(store.get(running.id)), 'job_not_found');
  t.equal((await store.get(ids[3] as string)).state, 'done');
  const left = database.prepare('select distinct job_id from bulk_shards').all();
  t.same(left.map((row) => row.job_id).sort(), [ids[1], ids[3]].sort());
});

/** Places of which one is not there any more, and one does not answer now. */
function brokenPlaces(root: string): JobPlaces {
  const storage = createLocalFolder(root);
  return {
    source: async () => ({ storage, from: { path: '' } }),
    async target({ target }: JobSpec) {
      if (target.path === 'lost')
        throw new ServiceError('unknown_connection', { name: 'lost', known: 'none' });
      if (target.path === 'broken')
        throw new ServiceError('storage_failed', { storage: 'it', reason: 'gone' });
      return { storage, folder: target.path };
    },
  };
}

/** The folders of jobs that have files. */
async function filesOf(root: string): Promise<string[]> {
  const names = await readdir(root, { recursive: true });
  return [
    ...new Set(names.filter((name) => name.includes('/')).map((name) => name.replace(/\/.*/, '/'))),
  ].sort();
}
