import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { watchJob } from '../../support/job-events.ts';
import { createJob, GATED, JOBS, jobOf, outputOf, STEPS, untilState } from '../../support/jobs.ts';
import { pluginsFolder } from '../../support/plugins.ts';
import { noPostgres, startPostgres } from '../../support/postgres.ts';
import { checkProblem } from '../../support/problems.ts';
import { type ServerProcess, startProcess, until } from '../../support/process.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';

/** Jobs in several processes, and in processes that are killed. */

const FILES = Object.fromEntries(
  Array.from({ length: 6 }, (_, index) => [`kb/${index}.txt`, `the text of ${index}. `.repeat(20)]),
);
const BASE = ['--port', '0', '--host', '127.0.0.1', '--workers', '1', '--bulk-shard-documents', '1'];

interface Place {
  readonly root: string;
  readonly gate: string;
  start(...args: string[]): ServerProcess;
}

/** Where servers of a test have their folders; each may have flags of its own. */
async function place(t: Test, databaseUrl?: string): Promise<Place> {
  const root = await temporaryFolder(t, FILES);
  const PLUGINS_DIR = await pluginsFolder(t, GATED);
  const env = { PLUGINS_DIR, ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }) };
  const dataDir = await temporaryFolder(t);
  const start = (...args: string[]) =>
    startProcess(t, [...BASE, '--bulk-root', root, '--data-dir', dataDir, ...args], { env });
  return { root, gate: join(root, 'gate'), start };
}

const gated = (gate: string) => [{ type: 'chunk', chunker: 'gated', config: { gate } }];

async function manifestOf(root: string, id: string): Promise<string> {
  return readFile(join(root, `chunksmith-jobs/${id}/manifest.json`), 'utf8');
}

t.test('a server that is killed in a job goes on with it when it is started again', async (t) => {
  const { root, gate, start } = await place(t);
  const first = start('--bulk-lease', '1');
  const client = await first.listening();
  const source = { path: 'kb' };
  const { id } = await createJob(client, { source, steps: gated(gate) });
  await untilState(client, id, 'running');
  first.child.kill('SIGKILL');
  await first.ended();
  await writeFile(gate, '');
  const again = await start('--bulk-lease', '1').listening();
  t.match(await untilState(again, id, 'done'), {
    documents: { done: 6, failed: 0 },
    shards: { total: 6, done: 6 },
  });
  const undisturbed = await createJob(again, { source, steps: gated(gate) });
  await untilState(again, undisturbed.id, 'done');
  t.same(await outputOf(again, id), await outputOf(again, undisturbed.id));
  const hashes = async (one: string) => (await manifestOf(root, one)).match(/"sha256":"\w+"/g);
  t.same(await hashes(id), await hashes(undisturbed.id), 'byte for byte');
});

t.test('a server that is stopped gives back what it works on', async (t) => {
  const { gate, start } = await place(t);
  const first = start('--shutdown-grace', '6');
  const client = await first.listening();
  const { id } = await createJob(client, { source: { path: 'kb' }, steps: gated(gate) });
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

t.test('one process answers and another one works, on one PostgreSQL', { skip: noPostgres }, async (t) => {
  const postgres = await startPostgres(t);
  const { gate, start } = await place(t, postgres.freshUrl());
  const api = await start('--role', 'api').listening();
  const { id } = await createJob(api, { source: { path: 'kb' }, steps: gated(gate) });
  const worker = start('--role', 'worker');
  const operators = await worker.listening();
  await untilState(api, id, 'running');
  await writeFile(gate, '');
  t.match(await untilState(api, id, 'done'), { documents: { done: 6 } });
  t.equal((await outputOf(api, id)).length, 6);
  for (const path of ['/health', '/ready', '/metrics'])
    t.equal((await operators.get(path)).status, 200, path);
  t.match(
    (await operators.get('/metrics')).bytes.toString(),
    'chunksmith_bulk_documents_total{result="done"} 6',
  );
  t.match((await api.get('/metrics')).bytes.toString(), 'chunksmith_bulk_documents_total{result="done"} 0');
  for (const path of ['/', '/v1/jobs', '/docs', '/openapi.json']) {
    checkProblem(t, await operators.get(path), 404, [/--role worker/, /\/health, \/ready, \/metrics/]);
  }
  checkProblem(t, await operators.post('/v1/chunk/token', { text: 'a' }), 404, /--role worker/);
  checkProblem(t, await operators.post('/health', {}), 405, /GET/);
});

t.test('two replicas show the same job, and either cancels it', { skip: noPostgres }, async (t) => {
  const databaseUrl = (await startPostgres(t)).freshUrl();
  const bulkRoot = await temporaryFolder(t, FILES);
  const config = {
    databaseUrl,
    bulkRoot,
    bulkShardDocuments: 1,
    pluginsDir: [await pluginsFolder(t, GATED)],
  };
  const [one, two] = await Promise.all([startServer(t, { ...config, role: 'api' }), startServer(t, config)]);
  const gate = join(bulkRoot, 'gate');
  const { id } = await createJob(one, { source: { path: 'kb' }, steps: gated(gate) });
  await untilState(one, id, 'running');
  const { bytes_per_second: _, ...shown } = await jobOf(one, id);
  t.match(await jobOf(two, id), shown);
  t.same(
    (await two.get(JOBS)).json<{ id: string }[]>().map((job) => job.id),
    [id],
  );
  const watching = await watchJob(t, two, id);
  t.match(await watching.next(), { state: 'running' });
  t.match((await one.post(`${JOBS}/${id}/cancel`, '')).json(), { state: 'cancelled' });
  t.match(await watching.next(), { state: 'cancelled' }, 'the other one tells of it');
  t.match(await jobOf(two, id), { state: 'cancelled' });
  const key = { 'idempotency-key': 'both' };
  const body = { source: { path: 'kb' }, steps: STEPS };
  const answers = await Promise.all([one, two, one, two].map((client) => client.post(JOBS, body, key)));
  t.same(answers.map(({ status }) => status).sort(), [200, 200, 200, 202]);
});

t.test('roles that cannot work are refused at the start', async (t) => {
  const ends = async (args: string[], text: RegExp) => {
    const process = startProcess(t, [...BASE, ...args]);
    t.equal(await process.ended(), 2);
    t.match(process.stderr(), text);
  };
  const root = await temporaryFolder(t);
  await mkdir(join(root, 'in'));
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
