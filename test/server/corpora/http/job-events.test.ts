import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import Fastify from 'fastify';
import { Registry } from 'prom-client';
import t from 'tap';
import { ServiceError } from '../../../../core/errors.ts';
import { configOf } from '../../../../server/config/config.ts';
import type { ServerCradle } from '../../../../server/container.ts';
import { type JobTools, jobHandlers } from '../../../../server/corpora/http/handlers.ts';
import { addJobMetrics } from '../../../../server/corpora/http/metrics.ts';
import { JobWatch } from '../../../../server/corpora/http/watch.ts';
import type { JobAnswer } from '../../../../server/corpora/jobs/answers.ts';
import { logEnd } from '../../../../server/corpora/jobs/create-worker.ts';
import { type JobLoad, type JobRecord, NO_COUNTS } from '../../../../server/store/jobs/contract.ts';
import { quietLog } from '../../../../server/testing/collaborators.ts';
import { createGated, GATED, JOBS, runJob, startJobServer, untilState } from '../../../support/jobs.ts';
import { pluginsFolder } from '../../../support/plugins.ts';
import { type Cleanup, type Client, clientFor, startApp, temporaryFolder } from '../../../support/server.ts';
import { linesIn } from '../../../support/streams.ts';
import { until } from '../../../support/until.ts';

/** What is told of a job while it runs. */

const FILES = {
  'kb/1.txt': 'one',
  'kb/2.txt': 'two',
  'some/a.txt': 'one',
  'some/b.bin': '\0\u0001',
  'rows.jsonl': '{"text": "one"}\n{"text": "two"}\n{}\n',
};
const pluginsDir = [await pluginsFolder(t, GATED)];
const server = await startJobServer(t, FILES, { pluginsDir, bulkShardDocuments: 1 });
const metrics = async () => (await server.get('/metrics')).bytes.toString();

/** Opens a connection on which a server tells of a job, in either form; it is closed after the test. */
async function watchJob(t: Cleanup, { url }: Client, id: string, headers: Record<string, string> = {}) {
  const asked = get(`${url}/v1/jobs/${id}/events`, { headers, agent: false });
  asked.on('error', () => {});
  t.teardown(() => asked.destroy());
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  const lines = createInterface({ input: response })[Symbol.asyncIterator]();
  /** The next event; undefined at the end. */
  const next = async (): Promise<JobAnswer | undefined> => {
    const { done, value } = await lines.next();
    if (done) return undefined;
    const json = value.replace(/^data: /, '');
    return json.startsWith('{') ? JSON.parse(json) : next();
  };
  return { response, lines, next, close: () => asked.destroy() };
}

t.test('a server counts what it has done of jobs, and tells what waits', async (t) => {
  t.match(
    await metrics(),
    'chunksmith_bulk_documents_total{result="failed"} 0',
    'a rate sees the first failure',
  );
  await runJob(server, { source: { path: 'rows.jsonl' } });
  await runJob(server, { source: { path: 'some' } });
  // A shard is counted once it is committed, by when a caller may know already that its job is done.
  await until(async () => (await metrics()).includes('shard_seconds_count{outcome="done"} 7'));
  const text = await metrics();
  for (const line of [
    'chunksmith_bulk_documents_total{result="done"} 3',
    'chunksmith_bulk_documents_total{result="failed"} 1',
    'chunksmith_bulk_documents_total{result="skipped"} 1',
    'chunksmith_bulk_lease_lost_total 0',
    'chunksmith_bulk_shard_seconds_count{outcome="done"} 7',
    'chunksmith_bulk_oldest_ready_seconds 0',
    'chunksmith_bulk_shards{state="running"} ',
  ]) {
    t.match(text, line);
  }
  t.match(text, /^chunksmith_bulk_bytes_total [1-9]/m);
});

t.test('events begin with the job as it is, follow its changes, and end with it', async (t) => {
  const { id, open } = await createGated(server, 'gate', { source: { path: 'kb' } });
  await untilState(server, id, 'running');
  const [sse, lines] = await Promise.all([
    watchJob(t, server, id),
    watchJob(t, server, id, { accept: 'application/x-ndjson' }),
  ]);
  t.match(sse.response.headers, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  t.match(lines.response.headers['content-type'], /^application\/x-ndjson/);
  t.equal((await sse.lines.next()).value, 'id: running');
  t.match(await sse.next(), { id, state: 'running', shards: { total: 2, done: 0 } });
  t.match(await lines.next(), { id, state: 'running' });
  await open();
  for (const watching of [sse, lines]) {
    let last: unknown;
    for (let job = await watching.next(); job !== undefined; job = await watching.next()) last = job;
    t.match(last, { id, state: 'done', shards: { done: 2 } }, 'the last one tells how it ended');
  }
});

t.test('who comes back gets the job as it is now, and who had the last event 204', async (t) => {
  const { id } = await runJob(server, { source: { path: 'kb' } });
  const again = await watchJob(t, server, id, { 'last-event-id': 'running' });
  t.match(await again.next(), { state: 'done' });
  t.equal(await again.next(), undefined, 'and no more');
  const over = await watchJob(t, server, id, { 'last-event-id': 'done' });
  t.equal(over.response.statusCode, 204, 'an EventSource stops asking');
  t.equal((await server.get(`${JOBS}/${id.replace(/^.{8}/, '00000000')}/events`)).status, 404);
});

t.test('a server that stops ends what it tells', async (t) => {
  const root = await temporaryFolder(t, FILES);
  const { app, client } = await startApp(t, { bulkRoot: root, pluginsDir, shutdownGrace: 1 });
  const { id } = await createGated({ ...client, root }, 'gate', { source: { path: 'kb' } });
  const watching = await watchJob(t, client, id);
  await watching.next();
  const closed = app.close();
  while ((await watching.next()) !== undefined);
  await closed;
  t.pass('the connection has ended, and the server has stopped');
});

const RECORD: JobRecord = {
  id: 'a',
  spec: { source: { format: 'jsonl' }, target: { path: 'x' }, group: 'chunk' },
  state: 'running',
  error: null,
  counts: NO_COUNTS,
  pruned: 0,
  unpruned: 0,
  shards: { total: 1, open: 1, done: 0, failed: 0 },
  bytes_total: 1,
  created_at: 1,
  finished_at: null,
  expires_at: 2,
};

const withChunks = (chunks: number): Partial<JobRecord> => ({ counts: { ...NO_COUNTS, chunks } });

/** Jobs of which the number of chunks says how often one was asked for. */
function countedJobs() {
  const jobs = { asked: 0, get: async () => ({ ...RECORD, ...withChunks(++jobs.asked) }) };
  return jobs;
}

/** Waits longer than there is between two questions, and says whether there were none. */
async function isQuiet(jobs: { readonly asked: number }): Promise<boolean> {
  const before = jobs.asked;
  await wait(1300);
  return jobs.asked === before;
}

t.test('all who watch a job share one question at a time, and none is asked for nobody', async (t) => {
  const jobs = countedJobs();
  const watch = new JobWatch(jobs);
  t.teardown(() => watch.close());
  const streams = Array.from({ length: 100 }, () => watch.stream(RECORD, 'application/x-ndjson'));
  const told = streams.map((stream) => {
    const events = { count: 0 };
    stream.on('data', () => events.count++);
    return events;
  });
  await until(() => jobs.asked >= 2);
  await nextTurn();
  const { asked } = jobs;
  t.ok(asked <= 3, `${asked} questions`);
  t.ok(told.every(({ count }) => count >= 1 && count <= asked + 1));
  for (const stream of streams) stream.destroy();
  await wait(1100);
  t.ok(await isQuiet(jobs), 'after the question that was under way');
});

t.test('nobody is asked for a client that has gone', async (t) => {
  const jobs = countedJobs();
  const app = Fastify();
  t.teardown(() => app.close());
  app.decorate('chunksmith', { getter: () => ({ jobs, config: configOf() }) as unknown as ServerCradle });
  app.get('/v1/jobs/:job_id/events', jobHandlers(app, {} as JobTools).events);
  const client = clientFor(await app.listen({ host: '127.0.0.1', port: 0 }));
  const watching = await watchJob(t, client, 'a');
  await watching.next();
  await watching.next();
  watching.close();
  await wait(1100);
  t.ok(await isQuiet(jobs), 'after the question that was under way');
});

t.test('who reads slowly gets the newest alone, and memory does not grow', async (t) => {
  const jobs = countedJobs();
  const watch = new JobWatch(jobs);
  t.teardown(() => watch.close());
  const large = { ...RECORD, spec: { ...RECORD.spec, target: { path: 'x'.repeat(100_000) } } };
  const stream = watch.stream(large, 'application/x-ndjson');
  stream.read(0);
  t.ok(await isQuiet(jobs), 'nothing is asked while the first event waits to be read');
  jobs.asked = 9998;
  const events = linesIn<JobRecord>(Buffer.concat(await stream.take(2).map(Buffer.from).toArray()));
  t.match(events, [{ chunks: 0 }, { chunks: 9999 }]);
});

t.test('a store that is away for a while does not end the events; a job that is removed does', async (t) => {
  /** What is told of a job, in lines, of which one question after the other is answered so. */
  const toldOf = async (...answers: (Partial<JobRecord> | Error)[]) => {
    const get = async () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return { ...RECORD, ...answer };
    };
    const stream = new JobWatch({ get }).stream(RECORD, 'application/x-ndjson');
    return linesIn<JobRecord>(Buffer.concat(await stream.map(Buffer.from).toArray()));
  };
  const told = await toldOf(new Error('away'), withChunks(5), { state: 'done', finished_at: 3 });
  t.match(told, [{ chunks: 0 }, { chunks: 5 }, { state: 'done' }]);
  t.equal(told.length, 3);
  t.equal((await toldOf(new ServiceError('job_not_found', { id: 'a' }))).length, 1);
});

const SHARDS = { ready: 3, running: 2, done: 1, failed: 0, cancelled: 0 };
const LOAD: JobLoad = { shards: SHARDS, oldestReadySeconds: 7.5 };

t.test('many scrapes ask the store once', async (t) => {
  const registry = new Registry();
  let asked = 0;
  addJobMetrics(registry, async () => {
    asked++;
    return LOAD;
  });
  for (let scrape = 0; scrape < 10; scrape++) {
    for (const text of await Promise.all([registry.metrics(), registry.metrics()])) {
      t.match(text, 'chunksmith_bulk_shards{state="ready"} 3');
      t.match(text, 'chunksmith_bulk_oldest_ready_seconds 7.5');
    }
  }
  t.equal(asked, 1);
});

t.test('a scrape does not wait for a store that does not answer, and outlives one that fails', async (t) => {
  const [hanging, failing] = [new Registry(), new Registry()];
  addJobMetrics(hanging, () => new Promise(() => {}));
  t.match(await hanging.metrics(), 'chunksmith_bulk_lease_lost_total 0');
  addJobMetrics(failing, () => Promise.reject(new Error('away')));
  t.notMatch(await failing.metrics(), 'chunksmith_bulk_shards{');
});

t.test('shards that were lost to another worker are counted', async (t) => {
  const registry = new Registry();
  const metrics = addJobMetrics(registry, async () => LOAD);
  metrics.shard('lost', 1, 0);
  metrics.shard('done', 2, 0);
  const text = await registry.metrics();
  t.match(text, 'chunksmith_bulk_lease_lost_total 1');
  t.match(text, 'chunksmith_bulk_shard_seconds_sum{outcome="done"} 2');
});

t.test('a job that is over is a line of the log, with a warning of texts no search finds', async (t) => {
  const lines: object[] = [];
  const note = (...given: unknown[]) => void lines.push(given);
  const log = { ...quietLog, info: note, warn: note };
  const claim = { jobId: 'a', kind: 'finish' } as const;
  const error = { code: 'all_failed', values: { failed: 1 } } as const;
  const done = { finished_at: 3.04, counts: { ...NO_COUNTS, embedding_empty: 2 } };
  for (const job of [{}, done, { finished_at: 2, state: 'failed', error } as const])
    await logEnd(claim, { get: async () => ({ ...RECORD, state: 'done', ...job }) }, log);
  t.match(lines, [
    [{ job: 'a', state: 'done', seconds: 2 }, 'jobs: a job has ended'],
    [{ job: 'a', texts: 2 }, /no word/],
    [{ job: 'a', state: 'failed', seconds: 1, reason: /^1 of 1/ }, 'jobs: a job has ended'],
  ]);
  t.equal(lines.length, 3);
});
