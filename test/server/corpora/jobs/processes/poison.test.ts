import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { ShardAnswer } from '../../../../../server/corpora/jobs/answers.ts';
import { startFleet } from '../../../../soak/job-fleet.ts';
import { chunkInto, linesOf, untilOver } from '../../../../soak/job-results.ts';
import { sqlitePlace } from '../../../../support/job-stores.ts';
import { outputOf, startJobServer } from '../../../../support/jobs.ts';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../../../support/plugins.ts';
import { temporaryFolder } from '../../../../support/server.ts';
import { mountSmallDisk } from '../../../../support/small-disk.ts';

/** A document that ends the whole process which works on it, and a disk that is full. */

/** The others take a moment, so that they are under way when it ends. */
const POISONED = chunker(
  'poisoned',
  `if (text.includes('END')) { process.kill(process.pid, 'SIGKILL'); for (;;); }
  await new Promise((done) => setTimeout(done, 30));
  ${WHOLE_TEXT}`,
);
const STEPS = { steps: [{ type: 'chunk', chunker: 'poisoned' }] };

t.test('a shard that ends its process each time fails, and takes no other along', async (t) => {
  const root = await temporaryFolder(t, {
    'in.jsonl': linesOf(30, (index) => (index === 14 ? 'END' : 'words')),
    'good.jsonl': linesOf(40, () => 'words'),
  });
  const flags = ['--plugins-dir', await pluginsFolder(t, POISONED)];
  const { api, worker } = await startFleet(t, await sqlitePlace(t), { root, shardBytes: 300, flags });
  let isOver = false;
  void (async () => {
    while (!isOver) await worker().ended(60_000);
  })();
  const bad = await chunkInto(api, 'in.jsonl', 'bad', STEPS);
  const good = await chunkInto(api, 'good.jsonl', 'good', STEPS);
  const over = Promise.all([untilOver(api, bad, 180), untilOver(api, good, 180)]);
  const [failed, done] = await over.finally(() => {
    isOver = true;
  });
  t.match(done, { state: 'done', documents: { done: 40, failed: 0 }, shards: { failed: 0 } });
  const { total } = failed.shards;
  t.match(failed, { state: 'failed', shards: { done: total - 1, failed: 1 } });
  t.match(failed.error, { status: 500, detail: /worker/ });
  const shards = (await api.get(`/v1/jobs/${bad}/shards?state=failed`)).json<ShardAnswer[]>();
  t.match(shards, [{ failures: 5, error: { status: 500 } }]);
  t.ok(total > 2, String(total));
});

t.test('a disk that is full fails its job alone, which goes on with space', async (t) => {
  const api = await startJobServer(t, { 'in.jsonl': linesOf(2000) }, { bulkShardBytes: 20_000 });
  const { root } = api;
  const disk = join(root, 'disk');
  await mkdir(disk);
  const mounted = mountSmallDisk(t, disk, '256k');
  if (mounted === undefined) return t.pass('this user may not mount a small disk');
  const filler = join(disk, 'filler');
  await writeFile(filler, Buffer.alloc(128 * 1024));
  const steps = { steps: [{ type: 'chunk', chunker: 'token' }] };
  const full = await chunkInto(api, 'in.jsonl', 'disk/out', steps);
  const other = await chunkInto(api, 'in.jsonl', 'out', steps);
  t.match(await untilOver(api, other), { state: 'done', documents: { done: 2000 } });
  const failed = await untilOver(api, full);
  t.match(failed, {
    state: 'failed',
    error: { status: 503, detail: /no space left on its disk: free some space/ },
  });
  t.equal((await api.get('/health')).status, 200);
  const names = await readdir(join(disk, 'out')).catch(() => []);
  const isUnfinished = (name: string) => name.includes('.tmp-');
  t.same(names.filter(isUnfinished), [], 'nothing is left of what was not finished');
  await rm(filler);
  mounted.resize('64m');
  t.equal((await api.post(`/v1/jobs/${full}/retry`, '')).status, 200);
  t.match(await untilOver(api, full), { state: 'done', documents: { done: 2000, failed: 0 } });
  t.equal((await outputOf(api, full)).length, 2000);
});
