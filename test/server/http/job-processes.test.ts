import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { FILES, FLAGS, gatedBy, jobPlace } from '../../support/gated-jobs.ts';
import { createJob, JOBS, outputOf, untilState } from '../../support/jobs.ts';
import { startProcess, until } from '../../support/process.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';

/** Jobs in processes of their own, which are killed and stopped. */

async function manifestOf(root: string, id: string): Promise<string> {
  return readFile(join(root, `chunksmith-jobs/${id}/manifest.json`), 'utf8');
}

t.test('a server that is killed in a job goes on with it when it is started again', async (t) => {
  const { root, gate, start } = await jobPlace(t);
  const first = start('--bulk-lease', '1');
  const client = await first.listening();
  const source = { path: 'kb' };
  const { id } = await createJob(client, { source, steps: gatedBy(gate) });
  await untilState(client, id, 'running');
  first.child.kill('SIGKILL');
  await first.ended();
  await writeFile(gate, '');
  const again = await start('--bulk-lease', '1').listening();
  t.match(await untilState(again, id, 'done'), {
    documents: { done: 6, failed: 0 },
    shards: { total: 6, done: 6 },
  });
  const undisturbed = await createJob(again, { source, steps: gatedBy(gate) });
  await untilState(again, undisturbed.id, 'done');
  t.same(await outputOf(again, id), await outputOf(again, undisturbed.id));
  const hashes = async (one: string) => (await manifestOf(root, one)).match(/"sha256":"\w+"/g);
  t.same(await hashes(id), await hashes(undisturbed.id), 'byte for byte');
});

t.test('a server that is stopped gives back what it works on', async (t) => {
  const { gate, start } = await jobPlace(t);
  const first = start('--shutdown-grace', '6');
  const client = await first.listening();
  const { id } = await createJob(client, { source: { path: 'kb' }, steps: gatedBy(gate) });
  await untilState(client, id, 'running');
  first.child.kill('SIGTERM');
  t.equal(await first.ended(), 0);
  await writeFile(gate, '');
  const begun = Date.now();
  const again = await start().listening();
  await untilState(again, id, 'done');
  t.ok(Date.now() - begun < 25_000, 'nobody waits for a lease of 30 s');
  const shards = (await again.get(`${JOBS}/${id}/shards`)).json<{ failures: number }[]>();
  t.ok(
    shards.every(({ failures }) => failures === 0),
    'what was given back has not failed',
  );
});

t.test('roles that cannot work are refused at the start', async (t) => {
  const ends = async (args: string[], text: RegExp) => {
    const process = startProcess(t, [...FLAGS, ...args]);
    t.equal(await process.ended(), 2);
    t.match(process.stderr(), text);
  };
  const root = await temporaryFolder(t);
  await ends(['--role', 'worker'], /--role worker: .*--bulk-root or --bulk-connections/);
  await ends(['--role', 'api', '--store', 'memory', '--bulk-root', root], /--role api: .*--store memory/);
  await ends(['--bulk-root', join(root, 'none')], /--bulk-root .*: there is no such folder/);
});

t.test('with the store in memory one process does all', async (t) => {
  const bulkRoot = await temporaryFolder(t, FILES);
  const server = await startServer(t, { store: 'memory', bulkRoot });
  const { id } = await createJob(server, { source: { path: 'kb' } });
  t.match(await untilState(server, id, 'done'), { documents: { done: 6 } });
  await until(async () =>
    (await server.get('/metrics')).bytes.toString().includes('chunksmith_bulk_shards{state="done"} 3'),
  );
});
