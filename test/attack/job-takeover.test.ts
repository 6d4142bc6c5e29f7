import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { takeOver } from '../soak/takeover.ts';
import { chunkInto, digestsOf, startFleet, untilOver, writeCorpus } from '../support/job-fleet.ts';
import { sqlitePlace } from '../support/job-stores.ts';
import { jobOf } from '../support/jobs.ts';
import { noPostgres, startPostgres } from '../support/postgres.ts';
import { until } from '../support/process.ts';
import { temporaryFolder } from '../support/server.ts';

/** `npm run test:soak -- takeover` does it with the default lease too. */
t.test(
  'with a lease of 15 s, others do the shard of a dead worker within 20 s',
  { skip: noPostgres },
  async (t) => {
    const server = await startPostgres(t);
    const seconds = await Promise.all(
      (['lease', 'pg-boss'] as const).map((queue) => takeOver(t, server, queue, 15)),
    );
    for (const one of seconds) t.ok(one > 5 && one < 20, `${one} s`);
  },
);

const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';
const noFaketime = existsSync(FAKETIME) ? false : `no ${FAKETIME}: apt-get install libfaketime`;

t.test('the clock of the machine may jump', { skip: noFaketime }, async (t) => {
  const root = await temporaryFolder(t, { clock: '+0' });
  await writeCorpus(join(root, 'in.jsonl'), { documents: 600, words: 700 });
  const fleet = await startFleet(t, await sqlitePlace(t), { root, lease: 2, shardBytes: 60_000 });
  const clock = join(root, 'clock');
  const env = {
    LD_PRELOAD: FAKETIME,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
  const workers = [fleet.worker([], env), fleet.worker([], env)];
  await Promise.all(workers.map((worker) => worker.listening()));
  const expected = await untilOver(fleet, await chunkInto(fleet, 'in.jsonl', 'expected'));
  const id = await chunkInto(fleet, 'in.jsonl', 'out');
  for (const offset of ['+3600', '-7200', '+0']) {
    const { done } = (await jobOf(fleet.api, id)).shards;
    await writeFile(clock, offset);
    await until(async () => {
      const { state, shards } = await jobOf(fleet.api, id);
      return state === 'done' || shards.done > done + 1;
    });
    await sleep(100);
  }
  const job = await untilOver(fleet, id);
  t.match(job, { state: 'done', documents: expected.documents, chunks: expected.chunks });
  t.same(await digestsOf(join(root, 'out')), await digestsOf(join(root, 'expected')));
  t.same(
    workers.map(({ child }) => child.exitCode),
    [null, null],
  );
});
