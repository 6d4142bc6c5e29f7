import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { chunkInto, digestsOf, untilOver, writeCorpus } from '../../../../soak/job-results.ts';
import { jobOf } from '../../../../support/jobs.ts';
import { startProcess } from '../../../../support/process.ts';
import { temporaryFolder } from '../../../../support/server.ts';
import { until } from '../../../../support/until.ts';

/** Debian's faketime gives a process another system clock; here it leaves the monotonic one alone. */
const LIBRARY = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find(existsSync);
const skip = LIBRARY ? false : 'faketime is not here: apt-get install libfaketime';

const HOUR = 3600;

t.test('the clock of the machine jumps', { skip }, async (t) => {
  const root = await temporaryFolder(t, { clock: '+0' });
  const clock = join(root, 'clock');
  const jump = (seconds: number) => writeFile(clock, `${seconds < 0 ? '' : '+'}${seconds}`);
  const env = {
    LD_PRELOAD: LIBRARY as string,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
    DATA_DIR: join(root, 'data'),
  };
  const size = await writeCorpus(join(root, 'in.jsonl'), { documents: 200, words: 700 });
  const jobs = ['--bulk-root', root, '--bulk-lease', '2', '--bulk-shard-bytes', String(Math.ceil(size / 16))];
  const flags = ['--host', '127.0.0.1', '--port', '0', '--workers', '1', ...jobs];
  const start = (role: string) => startProcess(t, [...flags, '--role', role], { env });
  const server = start('all');
  const api = await server.listening();
  const worker = start('worker');
  await worker.listening();

  await t.test('jobs of two workers', async (t) => {
    const expected = await untilOver(api, await chunkInto(api, 'in.jsonl', 'expected'));
    const id = await chunkInto(api, 'in.jsonl', 'out');
    for (const offset of [HOUR, -2 * HOUR, 0]) {
      const { done } = (await jobOf(api, id)).shards;
      await jump(offset);
      await until(async () => {
        const { state, shards } = await jobOf(api, id);
        return state === 'done' || shards.done > done + 1;
      });
      await sleep(100);
    }
    const job = await untilOver(api, id);
    t.match(job, { state: 'done', documents: expected.documents, chunks: expected.chunks });
    t.same(await digestsOf(join(root, 'out')), await digestsOf(join(root, 'expected')));
    t.equal(worker.child.exitCode, null);
  });

  server.child.kill('SIGTERM');
  t.equal(await server.ended(), 0, 'it stops in time');
});
