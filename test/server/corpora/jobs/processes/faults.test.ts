import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { ShardAnswer } from '../../../../../server/corpora/jobs/answers.ts';
import { type Fleet, startFleet } from '../../../../soak/job-fleet.ts';
import { chunkInto, digestsOf, linesOf, untilOver } from '../../../../soak/job-results.ts';
import { sqlitePlace } from '../../../../support/job-stores.ts';
import { jobOf } from '../../../../support/jobs.ts';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../../../support/plugins.ts';
import { temporaryFolder } from '../../../../support/server.ts';
import { until } from '../../../../support/until.ts';

/** A job of which a worker stops for a while; on PostgreSQL `test/soak` stops workers too. */

/** A chunker that takes some milliseconds for a text, whatever the machine does. */
const SLOW = chunker('slow', `await new Promise((done) => setTimeout(done, 60)); ${WHOLE_TEXT}`);
const SHARDS = 8;
const DONE = { state: 'done', documents: { done: SHARDS * 4, failed: 0 }, shards: { done: SHARDS } };

/** A fleet whose source `slow.jsonl` has shards of four documents, each of which takes a moment. */
async function slowFleet(t: Test, place: Parameters<typeof startFleet>[1]): Promise<Fleet> {
  const lines = linesOf(SHARDS * 4);
  const root = await temporaryFolder(t, { 'slow.jsonl': lines });
  const shardBytes = lines.length / SHARDS;
  return startFleet(t, place, { root, shardBytes, plugins: [await pluginsFolder(t, SLOW)] });
}

const chunkSlowly = (fleet: Fleet, target: string) =>
  chunkInto(fleet, 'slow.jsonl', target, { steps: [{ type: 'chunk', chunker: 'slow' }] });

async function shardsOf({ api }: Fleet, id: string, state = ''): Promise<ShardAnswer[]> {
  const query = state === '' ? '' : `?state=${state}`;
  return (await api.get(`/v1/jobs/${id}/shards${query}`)).json();
}

t.test('a worker that stands still past its lease cannot commit', async (t) => {
  const fleet = await slowFleet(t, await sqlitePlace(t));
  const first = fleet.worker();
  const id = await chunkSlowly(fleet, 'out');
  await until(async () => (await shardsOf(fleet, id, 'running')).length > 0);
  first.child.kill('SIGSTOP');
  fleet.worker();
  const job = await untilOver(fleet, id);
  const files = await digestsOf(join(fleet.root, 'out'));
  const shards = await shardsOf(fleet, id);
  first.child.kill('SIGCONT');
  await sleep(1500);
  t.match(job, DONE);
  t.ok(
    shards.some(({ attempt }) => attempt > 1),
    'others have done its shard',
  );
  t.equal(first.child.exitCode, null, 'it lives');
  t.same(await jobOf(fleet.api, id), job, 'and changes neither the job');
  t.same(await shardsOf(fleet, id), shards, 'nor its shards');
  t.same(await digestsOf(join(fleet.root, 'out')), files, 'nor a file');
  const again = await chunkSlowly(fleet, 'again');
  t.equal((await untilOver(fleet, again)).state, 'done', 'and goes on');
  const attempts = (await shardsOf(fleet, again)).map(({ attempt, failures }) => attempt - failures);
  t.same(attempts, Array(SHARDS).fill(1), 'no shard is done twice, unless its lease was lost');
  t.same(await digestsOf(join(fleet.root, 'again')), files);
});
