import { get } from 'node:http';
import { setImmediate } from 'node:timers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { EventLoopScheduler } from '../../../server/run/event-loop-scheduler.ts';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { startProcess, until } from '../../support/process.ts';
import { temporaryFolder } from '../../support/server.ts';

const { signal } = new AbortController();

function work(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

/** Requests that come in one turn of the event loop, as events of their own. */
function comeTogether<T>(count: number, task: () => Promise<T>): Promise<T>[] {
  return Array.from(
    { length: count },
    () => new Promise<T>((resolve, reject) => setImmediate(() => task().then(resolve, reject))),
  );
}

t.test('the event loop comes to others between tasks', async (t) => {
  const scheduler = new EventLoopScheduler(100);
  let done = 0;
  const tasks = comeTogether(30, async () => {
    await scheduler.enter(signal);
    work(10);
    done++;
  });
  await nextTurn();
  t.equal(done, 1, 'one in the first turn');
  t.equal(scheduler.waiting, 30 - done);
  for (let before = done; done < 30; before = done) {
    await nextTurn();
    t.ok(done - before <= 1, 'one in each further turn');
  }
  await Promise.all(tasks);
  t.equal(scheduler.waiting, 0);
});

t.test('short tasks share a turn', async (t) => {
  const scheduler = new EventLoopScheduler(0);
  t.notOk(scheduler.isFull, 'a queue without room is not full while nothing runs');
  let done = 0;
  for (let task = 0; task < 3; task++) scheduler.enter(signal).then(() => done++);
  await nextTurn();
  t.equal(done, 3);
});

t.test('turns away what the queue cannot hold, and is open again afterwards', async (t) => {
  const scheduler = new EventLoopScheduler(5);
  const outcomes = await Promise.allSettled(
    comeTogether(20, async () => {
      await scheduler.enter(signal);
      work(10);
    }),
  );
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  t.equal(refused.length, 14);
  t.match(refused[0], { reason: { code: 'overloaded' } });
  t.notOk(scheduler.isFull);
  await nextTurn();
  await scheduler.enter(signal);
});

t.test('who has gone does not wait', async (t) => {
  const scheduler = new EventLoopScheduler(5);
  const client = new AbortController();
  await scheduler.enter(signal);
  work(10);
  const waiting = scheduler.enter(client.signal);
  const other = scheduler.enter(signal);
  client.abort(new Error('gone'));
  await t.rejects(waiting, { message: 'gone' });
  await other;
  await t.rejects(scheduler.enter(client.signal), { message: 'gone' });
});

t.test('a connection that comes has a turn without a task, but not for ever', async (t) => {
  const scheduler = new EventLoopScheduler(10);
  const begun: number[] = [];
  let turn = 0;
  const tasks = comeTogether(3, async () => {
    await scheduler.enter(signal);
    begun.push(turn);
    work(10);
  });
  for (; begun.length < 3 && turn < 100; turn++) {
    if (begun.length < 2) scheduler.yieldToAccepts();
    await nextTurn();
  }
  await Promise.all(tasks);
  const [first = 0, second = 0, third = 0] = begun;
  t.equal(second - first, 17, 'sixteen turns pass');
  t.equal(third - second, 1, 'none passes once no connection comes');
});

t.test('new connections do not wait behind tasks', async (t) => {
  const body = `const end = Date.now() + 30; while (Date.now() < end) {} ${WHOLE_TEXT}`;
  const busy = chunker('busy', body, { light: true });
  const pluginsDir = await pluginsFolder(t, busy);
  const server = startProcess(t, [
    ...['--port', '0', '--data-dir', await temporaryFolder(t), '--plugins-dir', pluginsDir],
  ]);
  const client = await server.listening();
  let done = 0;
  const tasks = Array.from({ length: 60 }, async () => {
    t.equal((await client.post('/v1/chunk/busy', { text: 'a' })).status, 200);
    done++;
  });
  const depth = async () =>
    Number(/^chunksmith_queue_depth (\d+)$/m.exec((await client.get('/metrics')).bytes.toString())?.[1]);
  await until(async () => (await depth()) > 40);
  const before = done;
  await Promise.all(Array.from({ length: 20 }, () => healthOnNewConnection(client.port)));
  t.ok(done - before < 10, `${done - before} tasks meanwhile`);
  await Promise.all(tasks);
});

function healthOnNewConnection(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/health', agent: false }, (answer) => {
      answer.resume().once('end', resolve);
    }).once('error', reject);
  });
}
