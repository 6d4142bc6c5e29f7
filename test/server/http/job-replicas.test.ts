import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { FILES, gatedBy, jobPlace } from '../../support/gated-jobs.ts';
import { watchJob } from '../../support/job-events.ts';
import { createJob, GATED, JOBS, jobOf, outputOf, STEPS, untilState } from '../../support/jobs.ts';
import { pluginsFolder } from '../../support/plugins.ts';
import { noPostgres, startPostgres } from '../../support/postgres.ts';
import { checkProblem } from '../../support/problems.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';

/** Jobs of several processes on one PostgreSQL. */

t.test('one process answers and another one works, on one PostgreSQL', { skip: noPostgres }, async (t) => {
  const postgres = await startPostgres(t);
  const { gate, start } = await jobPlace(t, postgres.freshUrl());
  const api = await start('--role', 'api').listening();
  const { id } = await createJob(api, { source: { path: 'kb' }, steps: gatedBy(gate) });
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
    bulkLease: 3,
    pluginsDir: [await pluginsFolder(t, GATED)],
  };
  const [one, two] = await Promise.all([startServer(t, { ...config, role: 'api' }), startServer(t, config)]);
  const gate = join(bulkRoot, 'gate');
  const { id } = await createJob(one, { source: { path: 'kb' }, steps: gatedBy(gate) });
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
