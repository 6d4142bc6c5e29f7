import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { ShardAnswer } from '../../../../../server/corpora/jobs/answers.ts';
import { createJob, GATED, JOBS, outputOf, untilState } from '../../../../support/jobs.ts';
import { pluginsFolder } from '../../../../support/plugins.ts';
import { startProcess } from '../../../../support/process.ts';
import { temporaryFolder } from '../../../../support/server.ts';

/** A server with jobs is killed, is stopped, and goes on with them when it is started again. */

/** Six documents, each of which is a shard. */
const FILES = Object.fromEntries(
  Array.from({ length: 6 }, (_, index) => [`kb/${index}.txt`, `the text of ${index}. `.repeat(20)]),
);
const FLAGS =
  '--port 0 --host 127.0.0.1 --workers 1 --bulk-shard-documents 1 --bulk-lease 1 --shutdown-grace 6'.split(
    ' ',
  );

t.test('a server goes on with a job after it was killed, and after it was stopped', async (t) => {
  const root = await temporaryFolder(t, FILES);
  const env = { PLUGINS_DIR: await pluginsFolder(t, GATED) };
  const place = ['--bulk-root', root, '--data-dir', await temporaryFolder(t)];
  const start = () => startProcess(t, [...FLAGS, ...place], { env });
  const gate = join(root, 'gate');
  const request = { source: { path: 'kb' }, steps: [{ type: 'chunk', chunker: 'gated', config: { gate } }] };
  const first = start();
  const client = await first.listening();
  const { id } = await createJob(client, request);
  await untilState(client, id, 'running');
  first.child.kill('SIGKILL');
  await first.ended();

  const second = start();
  await untilState(await second.listening(), id, 'running');
  second.child.kill('SIGTERM');
  t.equal(await second.ended(), 0);

  const third = await start().listening();
  const before = (await third.get(`${JOBS}/${id}/shards`)).json<ShardAnswer[]>();
  const failures = before.map(({ failures }) => failures);
  t.ok(Math.max(...failures) <= 1, 'what was given back has not failed once more');
  await writeFile(gate, '');
  const done = await untilState(third, id, 'done');
  t.match(done, { documents: { done: 6, failed: 0 }, shards: { total: 6, done: 6 } });
  const undisturbed = await createJob(third, request);
  await untilState(third, undisturbed.id, 'done');
  t.same(await outputOf(third, id), await outputOf(third, undisturbed.id));
  const hashes = async (one: string) =>
    (await readFile(join(root, `chunksmith-jobs/${one}/manifest.json`), 'utf8')).match(/"sha256":"\w+"/g);
  t.same(await hashes(id), await hashes(undisturbed.id), 'byte for byte');
});
