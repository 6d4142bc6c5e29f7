import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { chunker, plugin, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { type Client, startApp, startServer, temporaryFolder } from '../../support/server.ts';
import { openStream } from '../../support/streams.ts';
import { until } from '../../support/until.ts';

/** What `--request-timeout` ends, and what goes on meanwhile. */

const LATE = /longer than 1 s and was stopped/;
const ASLEEP = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0';
const heard = join(await temporaryFolder(t), 'heard');
/** Notes in a file that it runs, and that its signal has aborted: each thread has globals of its own. */
const HEARS = `const { appendFileSync } = await import('node:fs');
  appendFileSync(${JSON.stringify(heard)}, 'runs ');
  await new Promise((_, fail) => context.signal.addEventListener('abort', () => {
    appendFileSync(${JSON.stringify(heard)}, 'heard ');
    fail(context.signal.reason);
  }));`;
const WAITS = `if (text !== 'quick') await new Promise((done) => setTimeout(done, 20_000).unref());
  ${WHOLE_TEXT}`;
const THREAD = `const { threadId } = await import('node:worker_threads');
  return [{ start: 0, end: text.length, extra: { threadId } }];`;
const LIGHT = { light: true };
const folder = await pluginsFolder(
  t,
  chunker('waits', WAITS, LIGHT),
  chunker('hears', HEARS, LIGHT),
  chunker('whole', WHOLE_TEXT, LIGHT),
  // They end some time: a server that runs them on its event loop fails the tests, and does not hang.
  chunker('stubborn', `for (const end = Date.now() + 8000; Date.now() < end; ); ${WHOLE_TEXT}`),
  chunker('asleep', `${ASLEEP}, 8000); ${WHOLE_TEXT}`),
  chunker('silent', 'return new Promise(() => {});'),
  chunker('patient', `for (;;) { context.signal.throwIfAborted(); ${ASLEEP}, 20); }`),
  chunker('waiting', `await new Promise((_, fail) => context.signal.addEventListener('abort', fail));`),
  chunker('thread', THREAD),
  plugin(
    { kind: 'tokenizer', name: 'endless', models: ['endless'] },
    `export default () => ({ names: () => ['endless'], open: async (name) => ({
      name, tokenize: () => { ${ASLEEP}, 8000); },
    }) });`,
  ),
);
const settings = { pluginsDir: [folder], requestTimeout: 1 };
const { app, client: workers } = await startApp(t, { ...settings, workers: 1 });
const inline = await startServer(t, settings);

/** Nothing happens on it until the server ends it. */
const idle = openStream(`${inline.url}/v1/chunk/whole`);
idle.request.on('error', () => {});
await idle.send({});
await idle.send({ text: 'a' });
t.match(await idle.next(), { index: 0 });
const idleSince = performance.now();
const idleAnswer = await idle.response;
idleAnswer.on('error', () => {});
const idleEnd = new Promise<number>((resolve) => {
  idleAnswer.once('close', () => resolve(performance.now() - idleSince));
});

for (const [path, { post }, length] of [
  ['a small body, on the event loop', workers, 20],
  ['a large body, in a worker', workers, 20_000],
  ['a small body without workers', inline, 20],
  ['a large body without workers', inline, 20_000],
] as const) {
  t.test(`--request-timeout holds for ${path}`, async (t) => {
    rmSync(heard, { force: true });
    const text = 'a'.repeat(length);
    const isStopped = async (name: string) => {
      const start = performance.now();
      checkProblem(t, await post(`/v1/chunk/${name}`, { text }), 503, LATE);
      t.ok(performance.now() - start > 900, 'not before its time');
    };
    await isStopped('waits');
    const isHeard = () => existsSync(heard) && readFileSync(heard, 'utf8').includes('heard');
    // On a busy machine a thread may start too late to run the work, or lose it before it looks at its signal.
    do await isStopped('hears');
    while (!(await until(isHeard, 1000).catch(() => false)));
    t.match(readFileSync(heard, 'utf8'), /^(runs (heard )?)+$/, 'the work hears of it once');
  });
}

/** The thread that a request has now. On a busy machine a new one may take longer to start than a request may. */
async function threadOf({ post }: Client): Promise<number | undefined> {
  const answer = await until(async () => {
    const { status, json } = await post('/v1/chunk/thread', { text: 'a' });
    return status === 200 && json<{ threadId: number }[]>();
  });
  return answer[0]?.threadId;
}

t.test('work that takes too long is stopped, and never blocks the event loop', async (t) => {
  const stops = async (name: string, path = `/v1/chunk/${name}`, more = {}) => {
    const before = await threadOf(workers);
    const order: string[] = [];
    const late = workers.post(path, { text: 'a', ...more }).finally(() => order.push(name));
    t.equal((await workers.get('/health')).status, 200);
    order.push('health');
    checkProblem(t, await late, 503, LATE);
    t.same(order, ['health', name]);
    return (await threadOf(workers)) === before;
  };
  // On a busy machine a thread that heeds its signal may do so too late, now and then.
  const keeps = async (name: string) => (await stops(name)) || (await stops(name)) || stops(name);
  t.ok(await keeps('patient'), 'patient: the thread is kept');
  t.ok(await keeps('waiting'), 'waiting: the thread is kept');
  t.notOk(await stops('stubborn'), 'stubborn: the thread is replaced');
  await stops('silent');
  await stops('a tokenizer', '/v1/tokenize', { tokenizer: 'endless' });
  const steps = ['token', 'asleep'].map((chunker) => ({ type: 'chunk', chunker, config: {} }));
  const { id } = (await workers.post('/v1/pipelines', { name: 'one', steps })).json<{ id: string }>();
  await stops('a step of a pipeline', `/v1/pipelines/${id}/execute`);
});

t.test('a server that is closed ends although a plugin runs on', async (t) => {
  const late = workers.post('/v1/chunk/asleep', { text: 'a' });
  t.equal((await workers.get('/health')).status, 200);
  const closed = app.close();
  checkProblem(t, await late, 503, LATE);
  await closed;
});

t.test('the deadline is that of each document, not of the stream', async (t) => {
  const stream = openStream(`${inline.url}/v1/chunk/waits`);
  await stream.send({});
  for (const id of ['first', 'second']) {
    await stream.send({ text: 'a', id });
    t.match(await stream.next(), { id, error: { status: 503, detail: LATE } });
  }
  await stream.send({ text: 'quick' });
  t.match(await stream.next(), { chunks: [{ text: 'quick' }] });
  stream.end();
  t.equal(await stream.next(), undefined);
});

t.test('a stream on which nothing happens is ended', async (t) => {
  t.ok((await idleEnd) > 900, 'not before the time of a request has passed');
  t.notOk(idleAnswer.complete, 'without the end of an answer');
});
