import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import { ServiceError } from '../../../core/errors.ts';
import { buildApp } from '../../../server/app.ts';
import { configOf } from '../../../server/config/config.ts';
import type { ServerCradle } from '../../../server/container.ts';
import { EventStream } from '../../../server/http/jobs/event-stream.ts';
import { jobHandlers } from '../../../server/http/jobs/handlers.ts';
import { JobWatch } from '../../../server/http/jobs/watch.ts';
import type { JobRecord } from '../../../server/store/jobs/contract.ts';
import { watchJob } from '../../support/job-events.ts';
import {
  createJob,
  GATED,
  JOBS,
  type JobServer,
  runJob,
  startJobServer,
  untilState,
} from '../../support/jobs.ts';
import { pluginsFolder } from '../../support/plugins.ts';
import { until } from '../../support/process.ts';
import { clientFor, temporaryFolder, withStandIns } from '../../support/server.ts';

/** What is told of a job while it runs. */

const pluginsDir = [await pluginsFolder(t, GATED)];
const FILES = { 'kb/1.txt': 'one', 'kb/2.txt': 'two' };

async function startGated(t: Test): Promise<{ server: JobServer; id: string; open: () => Promise<void> }> {
  const server = await startJobServer(t, FILES, { pluginsDir, bulkShardDocuments: 1 });
  const gate = join(server.root, 'gate');
  const steps = [{ type: 'chunk', chunker: 'gated', config: { gate } }];
  const { id } = await createJob(server, { source: { path: 'kb' }, steps });
  return { server, id, open: () => writeFile(gate, '') };
}

t.test('events begin with the job as it is, follow its changes, and end with it', async (t) => {
  const { server, id, open } = await startGated(t);
  await untilState(server, id, 'running');
  const [sse, lines] = await Promise.all([
    watchJob(t, server, id),
    watchJob(t, server, id, { accept: 'application/x-ndjson' }),
  ]);
  t.match(sse.response.headers, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  t.match(lines.response.headers['content-type'], /^application\/x-ndjson/);
  t.equal(await sse.line(), 'id: running');
  t.match(await sse.next(), { id, state: 'running', shards: { total: 2, done: 0 } });
  t.match(await lines.next(), { id, state: 'running' });
  await open();
  for (const watching of [sse, lines]) {
    let last: unknown;
    for (let job = await watching.next(); job !== undefined; job = await watching.next()) last = job;
    t.match(last, { id, state: 'done', shards: { done: 2 } }, 'the last one tells how it ended');
  }
});

t.test(
  'a client that comes back gets the job as it is now, and one that had the last event 204',
  async (t) => {
    const server = await startJobServer(t, FILES);
    const { id } = await runJob(server, { source: { path: 'kb' } });
    const again = await watchJob(t, server, id, { 'last-event-id': 'running' });
    t.match(await again.next(), { state: 'done' });
    t.equal(await again.next(), undefined, 'and no more');
    const over = await watchJob(t, server, id, { 'last-event-id': 'done' });
    t.equal(over.response.statusCode, 204, 'an EventSource stops asking');
    t.equal((await server.get(`${JOBS}/${id.replace(/^.{8}/, '00000000')}/events`)).status, 404);
  },
);

t.test('a server that stops ends what it tells', async (t) => {
  const root = await temporaryFolder(t, FILES);
  const config = {
    workers: 0,
    logLevel: 'silent',
    dataDir: `${root}/data`,
    bulkRoot: root,
    pluginsDir,
    shutdownGrace: 1,
  };
  const app = await buildApp(configOf(withStandIns(config)));
  t.teardown(() => app.close());
  const client = clientFor(await app.listen({ host: '127.0.0.1', port: 0 }));
  const steps = [{ type: 'chunk', chunker: 'gated', config: { gate: join(root, 'gate') } }];
  const { id } = await createJob(client, { source: { path: 'kb' }, steps });
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
  shards: { total: 1, open: 1, done: 0, failed: 0 },
  documents: { done: 0, failed: 0 },
  chunks: 0,
  bytes: { read: 0, total: 1 },
  created_at: 1,
  finished_at: null,
  expires_at: 2,
};

t.test('all who watch a job share one question at a time, and none is asked for nobody', async (t) => {
  let questions = 0;
  const watch = new JobWatch({
    async get() {
      questions++;
      return { ...RECORD, chunks: questions };
    },
  });
  t.teardown(() => watch.close());
  const streams = Array.from({ length: 100 }, () => new EventStream('application/x-ndjson'));
  for (const stream of streams) watch.add(RECORD, stream);
  await until(() => questions >= 2);
  const told = streams.map((stream) => String(stream.read()).trim().split('\n').length);
  t.ok(
    questions <= 3 && told.every((count) => count >= 1 && count <= questions + 1),
    `${questions} questions`,
  );
  for (const stream of streams) watch.remove('a', stream);
  const before = questions;
  await wait(1300);
  t.equal(questions, before);
});

t.test('nobody is asked for a client that has gone', async (t) => {
  let questions = 0;
  const jobs = {
    async get() {
      questions++;
      return { ...RECORD, chunks: questions };
    },
  };
  const app = Fastify();
  t.teardown(() => app.close());
  app.decorate('chunksmith', { getter: () => ({ jobs, config: configOf() }) as unknown as ServerCradle });
  app.get('/v1/jobs/:job_id/events', jobHandlers(app).events);
  const client = clientFor(await app.listen({ host: '127.0.0.1', port: 0 }));
  const watching = await watchJob(t, client, 'a');
  await watching.next();
  await watching.next();
  watching.close();
  await wait(100);
  const before = questions;
  await wait(1300);
  t.equal(questions, before);
});

t.test('who reads slowly gets the newest alone, and memory does not grow', async (t) => {
  const stream = new EventStream('text/event-stream');
  for (let chunks = 0; chunks < 10_000; chunks++) stream.tell({ ...RECORD, chunks });
  t.ok(stream.readableLength < 100_000, `${stream.readableLength} bytes wait`);
  stream.end();
  const events: string[] = [];
  for await (const part of stream) events.push(String(part));
  t.match(events.join('').trim().split('\n').at(-1), /"chunks":9999,/, 'the last one arrives');
});

t.test('a store that is away for a while does not end the events; a job that is removed does', async (t) => {
  const answers = [
    async (): Promise<JobRecord> => {
      throw new Error('away');
    },
    async () => ({ ...RECORD, chunks: 5 }),
    async () => ({ ...RECORD, state: 'done' as const, finished_at: 3 }),
  ];
  const watch = new JobWatch({ get: () => (answers.shift() as () => Promise<JobRecord>)() });
  const stream = new EventStream('application/x-ndjson');
  watch.add(RECORD, stream);
  const lines: string[] = [];
  for await (const part of stream) lines.push(...String(part).trim().split('\n'));
  t.match(
    lines.map((line) => JSON.parse(line)),
    [{ chunks: 0 }, { chunks: 5 }, { state: 'done' }],
  );
  const removed = new JobWatch({
    async get(id) {
      throw new ServiceError('job_not_found', { id });
    },
  });
  const ended = new EventStream('application/x-ndjson');
  removed.add(RECORD, ended);
  const parts = await ended.toArray();
  t.equal(parts.length, 1);
});
