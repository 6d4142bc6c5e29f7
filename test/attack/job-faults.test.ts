import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { ShardAnswer } from '../../server/jobs/shard-answer.ts';
import { chunkInto, digestsOf, type Fleet, linesOf, startFleet, untilOver } from '../support/job-fleet.ts';
import { postgresPlace, sqlitePlace } from '../support/job-stores.ts';
import { jobOf } from '../support/jobs.ts';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../support/plugins.ts';
import { noPostgres, startPostgres } from '../support/postgres.ts';
import { until } from '../support/process.ts';
import { type Cleanup, temporaryFolder } from '../support/server.ts';

/** Jobs whose workers stop for a while, or lose what they need. */

/** A chunker that takes some milliseconds for a text, whatever the machine does. */
const SLOW = chunker('slow', `await new Promise((done) => setTimeout(done, 60)); ${WHOLE_TEXT}`);
const SHARDS = 12;
const SLOW_STEPS = { steps: [{ type: 'chunk', chunker: 'slow' }] };

/** A fleet whose source has shards of four documents, each of which takes a moment. */
async function slowFleet(
  t: Cleanup,
  place: Parameters<typeof startFleet>[1],
  options: object,
): Promise<Fleet> {
  const lines = linesOf(SHARDS * 4);
  const root = await temporaryFolder(t, { 'in.jsonl': lines });
  const shardBytes = lines.length / SHARDS;
  return startFleet(t, place, { root, shardBytes, plugins: [await pluginsFolder(t, SLOW)], ...options });
}

async function shardsOf({ api }: Fleet, id: string, state = ''): Promise<ShardAnswer[]> {
  const query = state === '' ? '' : `?state=${state}`;
  return (await api.get(`/v1/jobs/${id}/shards${query}`)).json();
}

for (const queue of ['lease', 'pg-boss'] as const) {
  const skip = queue === 'pg-boss' && noPostgres;
  t.test(`a worker that stands still past its lease cannot commit: ${queue}`, { skip }, async (t) => {
    const place =
      skip === false && queue === 'pg-boss' ? postgresPlace(await startPostgres(t)) : await sqlitePlace(t);
    const fleet = await slowFleet(t, place, { queue });
    const first = fleet.worker();
    const id = await chunkInto(fleet, 'in.jsonl', 'out', SLOW_STEPS);
    const [held] = await until(async () => {
      const running = await shardsOf(fleet, id, 'running');
      return running.length > 0 && running;
    });
    first.child.kill('SIGSTOP');
    fleet.worker();
    const job = await untilOver(fleet, id);
    const files = await digestsOf(join(fleet.root, 'out'));
    const shards = await shardsOf(fleet, id);
    first.child.kill('SIGCONT');
    await sleep(1500);
    t.match(job, { state: 'done', documents: { done: SHARDS * 4, failed: 0 }, shards: { done: SHARDS } });
    t.ok(
      shards.some(({ attempt }) => attempt > 1),
      'others have done its shard',
    );
    t.equal(first.child.exitCode, null, 'it lives');
    t.same(await jobOf(fleet.api, id), job, 'and changes neither the job');
    t.same(await shardsOf(fleet, id), shards, 'nor its shards');
    t.same(await digestsOf(join(fleet.root, 'out')), files, 'nor a file');
    const again = await untilOver(fleet, await chunkInto(fleet, 'in.jsonl', 'again', SLOW_STEPS));
    t.equal(again.state, 'done', 'and goes on');
    t.same(await digestsOf(join(fleet.root, 'again')), files);
    t.ok(held);
  });
}

for (const queue of ['lease', 'pg-boss'] as const) {
  t.test(`PostgreSQL stops twice in the middle: ${queue}`, { skip: noPostgres }, async (t) => {
    const server = await startPostgres(t);
    const fleet = await slowFleet(t, postgresPlace(server), { queue, lease: 15 });
    const workers = [fleet.worker(), fleet.worker()];
    await Promise.all(workers.map((worker) => worker.listening()));
    const id = await chunkInto(fleet, 'in.jsonl', 'out', SLOW_STEPS);
    await until(async () => (await jobOf(fleet.api, id)).shards.done > 1);
    for (const mode of ['fast', 'immediate'] as const) {
      await server.stop(mode);
      await sleep(1000);
      await server.start();
    }
    const job = await untilOver(fleet, id);
    t.match(job, { state: 'done', documents: { done: SHARDS * 4, failed: 0 }, shards: { done: SHARDS } });
    t.same(
      workers.map(({ child }) => child.exitCode),
      [null, null],
      'no worker has ended',
    );
    t.same(
      (await shardsOf(fleet, id)).filter(({ failures }) => failures > 0),
      [],
      'no shard was taken for lost',
    );
    const files = Object.keys(await digestsOf(join(fleet.root, 'out')));
    t.equal(files.length, SHARDS * 2 + 1, 'chunks and ids of each shard, and the manifest');
  });
}
