import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import {
  createJob,
  GATED,
  JOBS,
  jobOf,
  outputOf,
  STEPS,
  startJobServer,
  untilState,
} from '../support/jobs.ts';
import { pluginsFolder } from '../support/plugins.ts';
import { checkProblem } from '../support/problems.ts';
import { type Client, startServer, temporaryFolder } from '../support/server.ts';

/** Two replicas on one database are one service; `server/store/processes/` has processes on PostgreSQL. */

const dataDir = await temporaryFolder(t);
const pluginsDir = [await pluginsFolder(t, GATED)];
const config = { dataDir, bulkShardDocuments: 1, bulkLease: 3, pluginsDir };
const FILES = { 'kb/1.txt': 'one', 'kb/2.txt': 'two' };
const api = await startJobServer(t, FILES, { ...config, role: 'api' });
const all = await startServer(t, { ...config, bulkRoot: api.root });
const gate = join(api.root, 'gate');
const gated = { source: { path: 'kb' }, steps: [{ type: 'chunk', chunker: 'gated', config: { gate } }] };

/** Sends so many requests at once, each to the next replica. */
function atOnce<T>(count: number, send: (replica: Client, turn: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, turn) => send(turn % 2 === 0 ? api : all, turn)));
}

t.test('both show the same job, and either cancels it', async (t) => {
  const { id } = await createJob(api, gated);
  await untilState(api, id, 'running');
  const { bytes_per_second: _, ...shown } = await jobOf(api, id);
  t.match(await jobOf(all, id), shown);
  const ids = (await all.get(JOBS)).json<{ id: string }[]>().map((job) => job.id);
  t.same(ids, [id]);
  const events = all.send(`${JOBS}/${id}/events`, { headers: { accept: 'application/x-ndjson' } });
  t.match((await api.post(`${JOBS}/${id}/cancel`, '')).json(), { state: 'cancelled' });
  const told = (await events).bytes.toString().trim().split('\n');
  t.match(JSON.parse(told.at(-1) ?? ''), { state: 'cancelled' }, 'the other one tells of it');
  t.match(await jobOf(all, id), { state: 'cancelled' });
  const key = { 'idempotency-key': 'both' };
  const body = { source: { path: 'kb' }, steps: STEPS };
  const answers = await atOnce(4, (replica) => replica.post(JOBS, body, key));
  t.same(answers.map(({ status }) => status).sort(), [200, 200, 200, 202]);
});

t.test('one replica answers and another one works', async (t) => {
  const root = await temporaryFolder(t, FILES);
  const own = { ...config, dataDir: await temporaryFolder(t), bulkRoot: root };
  const answering = await startServer(t, { ...own, role: 'api' });
  const operators = await startServer(t, { ...own, role: 'worker' });
  const { id } = await createJob(answering, gated);
  await untilState(answering, id, 'running');
  await writeFile(gate, '');
  t.match(await untilState(answering, id, 'done'), { documents: { done: 2 } });
  t.equal((await outputOf(answering, id)).length, 2);
  for (const path of ['/health', '/ready', '/metrics'])
    t.equal((await operators.get(path)).status, 200, path);
  const done = async (client: Client) =>
    /bulk_documents_total\{result="done"\} (\d+)/.exec((await client.get('/metrics')).bytes.toString())?.[1];
  t.same([await done(operators), await done(answering)], ['2', '0']);
  for (const path of ['/', '/v1/jobs', '/docs', '/openapi.json'])
    checkProblem(t, await operators.get(path), 404, [/--role worker/, /\/health, \/ready, \/metrics/]);
  checkProblem(t, await operators.post('/v1/chunk/token', { text: 'a' }), 404, /--role worker/);
  checkProblem(t, await operators.post('/health', {}), 405, /GET/);
});
