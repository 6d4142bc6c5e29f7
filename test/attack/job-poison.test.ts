import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { ShardAnswer } from '../../server/jobs/shard-answer.ts';
import { chunkInto, type Fleet, linesOf, startFleet, untilOver } from '../support/job-fleet.ts';
import { sqlitePlace } from '../support/job-stores.ts';
import { outputOf } from '../support/jobs.ts';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../support/plugins.ts';
import { type Cleanup, temporaryFolder } from '../support/server.ts';

/** Documents that end what works on them, and a disk that is full. */

/** The ways in which a document ends its thread, or the whole process. */
const WAYS = [
  ['END-OF-THREAD', 'process.exit(1);'],
  ['END-OF-HEAP', 'for (const all = []; ; ) all.push(new Array(1e5).fill(all.length));'],
  ['END-OF-PROCESS', `process.kill(process.pid, 'SIGKILL'); for (;;);`],
] as const;
const body = WAYS.map(([marker, code]) => `if (text.includes('${marker}')) { ${code} }`).join(' ');
/** The others take a moment, so that they are under way when it ends. */
const MOMENT = `if (text.includes('slow')) await new Promise((done) => setTimeout(done, 30));`;
const POISONED = chunker('poisoned', `${body} ${MOMENT} ${WHOLE_TEXT}`);
const STEPS = { steps: [{ type: 'chunk', chunker: 'poisoned' }] };

async function poisonedFleet(t: Cleanup, files: Record<string, string>, shardBytes = 1000): Promise<Fleet> {
  const root = await temporaryFolder(t, files);
  const plugins = [await pluginsFolder(t, POISONED)];
  return startFleet(t, await sqlitePlace(t), { root, shardBytes, plugins });
}

t.test('a document that ends its thread is an error of its own', async (t) => {
  const poison: Record<number, string> = { 3: 'END-OF-THREAD', 150: 'END-OF-HEAP', 299: 'END-OF-THREAD' };
  const lines = linesOf(300, (index) => poison[index] ?? 'harmless words');
  const fleet = await poisonedFleet(t, { 'in.jsonl': lines }, 1_000_000);
  const worker = fleet.worker(['--worker-memory-mb', '64']);
  const id = await chunkInto(fleet, 'in.jsonl', 'out', STEPS);
  t.match(await untilOver(fleet, id), {
    state: 'done',
    documents: { done: 297, failed: 3 },
    shards: { done: 1 },
  });
  t.match(await outputOf(fleet.api, id, 'errors'), [
    { id: 'd000003', status: 500, detail: /^The worker/ },
    { id: 'd000150', status: 500, detail: /more memory than a worker has/ },
    { id: 'd000299', status: 500, detail: /^The worker/ },
  ]);
  t.equal((await outputOf(fleet.api, id)).length, 297);
  t.equal(worker.child.exitCode, null);
});

t.test('a shard that ends its process each time fails, and takes no other along', async (t) => {
  const poisoned = linesOf(60, (index) => (index === 31 ? 'END-OF-PROCESS' : 'slow words'));
  const fleet = await poisonedFleet(t, {
    'in.jsonl': poisoned,
    'good.jsonl': linesOf(100, () => 'slow words'),
  });
  let isOver = false;
  const keepAlive = async () => {
    while (!isOver) await fleet.worker().ended(60_000);
  };
  const alive = keepAlive();
  const bad = await chunkInto(fleet, 'in.jsonl', 'bad', STEPS);
  const good = await chunkInto(fleet, 'good.jsonl', 'good', STEPS);
  const [failed, done] = await Promise.all([untilOver(fleet, bad), untilOver(fleet, good)]);
  isOver = true;
  t.match(done, { state: 'done', documents: { done: 100, failed: 0 }, shards: { failed: 0 } });
  const { total } = failed.shards;
  t.match(failed, { state: 'failed', shards: { done: total - 1, failed: 1 } });
  t.match(failed.error, { status: 500, detail: /worker/ });
  const shards = (await fleet.api.get(`/v1/jobs/${bad}/shards?state=failed`)).json<ShardAnswer[]>();
  t.match(shards, [{ failures: 5, error: { status: 500 } }]);
  t.ok(total > 2, String(total));
  void alive;
});

const noMount =
  process.getuid?.() === 0 && spawnSync('mount', ['--version']).status === 0 ? false : 'only root can mount';

t.test(
  'a disk that is full fails its job alone, which goes on when there is space',
  { skip: noMount },
  async (t) => {
    const fleet = await poisonedFleet(t, { 'in.jsonl': linesOf(2000) }, 20_000);
    const disk = join(fleet.root, 'disk');
    await mkdir(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]);
    t.teardown(() => execFileSync('umount', ['-l', disk]));
    const filler = join(disk, 'filler');
    await writeFile(filler, Buffer.alloc(128 * 1024));
    const worker = fleet.worker();
    const client = await worker.listening();
    const full = await chunkInto(fleet, 'in.jsonl', 'disk/out', STEPS);
    const other = await chunkInto(fleet, 'in.jsonl', 'out', STEPS);
    t.match(await untilOver(fleet, other), { state: 'done', documents: { done: 2000 } });
    const failed = await untilOver(fleet, full);
    t.match(failed, { state: 'failed', error: { status: 503, detail: /no space left on its disk/ } });
    for (const one of [client, fleet.api]) t.equal((await one.get('/health')).status, 200);
    const names = await readdir(join(disk, 'out')).catch(() => []);
    t.same(
      names.filter((name) => name.includes('.tmp-')),
      [],
      'nothing is left of what was not finished',
    );
    await rm(filler);
    execFileSync('mount', ['-o', 'remount,size=64m', disk]);
    t.equal((await fleet.api.post(`/v1/jobs/${full}/retry`, '')).status, 200);
    t.match(await untilOver(fleet, full), { state: 'done', documents: { done: 2000, failed: 0 } });
    t.equal((await outputOf(fleet.api, full)).length, 2000);
  },
);
