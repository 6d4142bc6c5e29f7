import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { ShardAnswer } from '../../../server/jobs/shard-answer.ts';
import { createJob, GATED, JOBS, outputOf, runJob, startJobServer, untilState } from '../../support/jobs.ts';
import { pluginsFolder } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';

/** Jobs that are retried, cancelled, deleted and listed. */

const TEXTS = { 'kb/a.md': 'One two three.', 'kb/deep/b.txt': 'Four five.', 'other.txt': 'another one' };

t.test('a shard that failed is done again, and no other', async (t) => {
  const server = await startJobServer(
    t,
    Object.fromEntries(
      ['one', 'two', 'three'].map((text, at) => [`kb/${at}.jsonl`, JSON.stringify({ text })]),
    ),
    { pluginsDir: [await pluginsFolder(t, GATED)] },
  );
  const gate = join(server.root, 'gate');
  const config = { gate };
  const steps = [{ type: 'chunk', chunker: 'gated', config }];
  const { id } = await createJob(server, { source: { path: 'kb' }, steps });
  await untilState(server, id, 'running');
  const [file, hidden] = ['kb/2.jsonl', 'hidden.jsonl'].map((name) => join(server.root, name)) as [
    string,
    string,
  ];
  await rename(file, hidden);
  await writeFile(gate, '');
  const failed = await untilState(server, id, 'failed');
  t.match(failed, {
    shards: { total: 3, done: 2, failed: 1 },
    error: { detail: /kb\/2\.jsonl has changed, or has gone/ },
  });
  const shards = (await server.get(`${JOBS}/${id}/shards?state=failed`)).json<ShardAnswer[]>();
  t.match(shards, [{ seq: 2, state: 'failed', source: { file: 'kb/2.jsonl' }, error: { status: 400 } }]);
  await rename(hidden, file);
  t.equal((await server.post(`${JOBS}/${id}/retry`, '')).status, 200);
  t.match(await untilState(server, id, 'done'), { shards: { done: 3, failed: 0 }, documents: { done: 3 } });
  const attempts = (await server.get(`${JOBS}/${id}/shards`)).json<ShardAnswer[]>().map((one) => one.attempt);
  t.same(attempts.slice(0, 2), [1, 1], 'what was done is not done again');
  t.same(
    (await outputOf(server, id)).map(({ text }) => text),
    ['one', 'two', 'three'],
  );
  checkProblem(t, await server.post(`${JOBS}/${id}/retry`, ''), 409, /is done/);
});

t.test('a job is cancelled while it runs, and deleted with its files when it is over', async (t) => {
  const folder = await pluginsFolder(t, GATED);
  const server = await startJobServer(t, TEXTS, { bulkShardDocuments: 1, pluginsDir: [folder] });
  const steps = [{ type: 'chunk', chunker: 'gated', config: { gate: join(server.root, 'gate') } }];
  const { id } = await createJob(server, { source: { path: 'kb' }, steps });
  await untilState(server, id, 'running');
  checkProblem(t, await server.send(`${JOBS}/${id}`, { method: 'DELETE' }), 409, [/is running/, /cancel/]);
  checkProblem(t, await server.get(`${JOBS}/${id}/result`), 409, [/is running/, /wait/]);
  checkProblem(t, await server.post(`${JOBS}/${id}/retry`, ''), 409, /is running/);
  for (let time = 0; time < 2; time++) {
    const answer = await server.post(`${JOBS}/${id}/cancel`, '');
    t.equal(answer.status, 200);
    t.match(answer.json(), { state: 'cancelled', shards: { total: 2, done: 0 } });
  }
  await writeFile(join(server.root, 'gate'), '');
  t.equal((await server.post(`${JOBS}/${id}/retry`, '')).status, 200);
  await untilState(server, id, 'done');
  const output = join(server.root, `chunksmith-jobs/${id}`);
  t.ok(existsSync(join(output, 'manifest.json')));
  t.equal((await server.send(`${JOBS}/${id}`, { method: 'DELETE' })).status, 204);
  t.notOk(existsSync(output), 'nothing is left');
  checkProblem(t, await server.get(`${JOBS}/${id}`), 404, /GET \/v1\/jobs/);
  checkProblem(t, await server.send(`${JOBS}/${id}`, { method: 'DELETE' }), 404, /no job/);
});

t.test('jobs and shards are listed page by page', async (t) => {
  const server = await startJobServer(t, TEXTS, { bulkShardDocuments: 1 });
  const jobs = [];
  for (let count = 0; count < 5; count++) jobs.push(await runJob(server, { source: { path: '.' } }));
  const found: string[] = [];
  let path = `${JOBS}?limit=2&state=done`;
  for (let link: string | undefined = ''; link !== undefined; ) {
    const page = await server.get(path);
    found.push(...page.json<{ id: string }[]>().map(({ id }) => id));
    link = /<(.*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    path = `${JOBS}${link}`;
  }
  t.same(found, jobs.map(({ id }) => id).reverse());
  t.same((await server.get(`${JOBS}?state=failed`)).json(), []);
  const shards = await server.get(`${JOBS}/${jobs[0]?.id}/shards?limit=2`);
  t.match(shards.json(), [{ seq: 0 }, { seq: 1 }]);
  const cursor = shards.headers.get('x-next-cursor');
  t.match((await server.get(`${JOBS}/${jobs[0]?.id}/shards?cursor=${cursor}`)).json(), [{ seq: 2 }]);
});
