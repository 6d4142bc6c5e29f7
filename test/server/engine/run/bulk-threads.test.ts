import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { ServiceError } from '../../../../core/errors.ts';
import { BulkChannel, type BulkHandlers, BulkThreads } from '../../../../server/engine/run/bulk-threads.ts';
import { PriorityQueue } from '../../../../server/engine/run/priority-queue.ts';

const { signal } = new AbortController();
const QUIET: BulkHandlers = { onMessage() {} };

/** Threads whose work runs here. */
function threadsFor(work: (channel: BulkChannel, signal: AbortSignal) => Promise<void>, threads = 1) {
  const queue = new PriorityQueue({ threads, queueSize: 0 });
  const pool = {
    async runBulk(_task: object, signal: AbortSignal, end: ConstructorParameters<typeof BulkChannel>[0]) {
      const channel = new BulkChannel(end, signal);
      await work(channel, signal).finally(() => channel.close());
    },
  };
  return { queue, bulk: new BulkThreads({ pool, queue, groupSeconds: 0 }) };
}

t.test('a bulk task gives its place to a request between two groups, and goes on after it', async (t) => {
  const order: string[] = [];
  const { queue, bulk } = threadsFor(async (channel) => {
    for (let group = 0; group < 6; group++) {
      await channel.group(async () => {
        order.push('group');
        await sleep(10);
      });
    }
  });
  const done = bulk.run({}, signal, QUIET);
  await sleep(15);
  const leave = await queue.enter(1e6, signal, { urgency: 'patient' });
  order.push('request');
  await sleep(30);
  order.push('end of the request');
  leave();
  await done;
  t.equal(order.filter((one) => one === 'group').length, 6);
  const at = order.indexOf('request');
  t.ok(at > 0 && at < 6, order.join());
  t.equal(order[at + 1], 'end of the request', 'no group runs beside the request');
  t.equal(queue.idle, 1);
});

t.test('short bulk work goes before long one', async (t) => {
  const { queue, bulk } = threadsFor((channel) => channel.group(() => sleep(30)));
  const order: string[] = [];
  const first = bulk.run({}, signal, QUIET);
  const second = bulk.run({}, signal, QUIET).then(() => order.push('long'));
  const short = queue.enter(0, signal, { urgency: 'bulk' }).then((leave) => {
    order.push('short');
    leave();
  });
  await Promise.all([first, second, short]);
  t.same(order, ['short', 'long']);
});

t.test('messages come in order and all before the end, and questions are answered', async (t) => {
  const { bulk } = threadsFor(async (channel) => {
    t.equal(await channel.ask('one'), 'answer to one');
    await t.rejects(channel.ask('two'), { code: 'job_not_found' });
    for (let index = 0; index < 100; index++) channel.post(index);
  });
  const found: unknown[] = [];
  await bulk.run({}, signal, {
    onMessage: (message) => found.push(message),
    async answer(question) {
      if (question === 'one') return 'answer to one';
      throw new ServiceError('job_not_found', { id: 'x' });
    },
  });
  t.same(found, [...Array(100).keys()]);
});

t.test('a task that must wait for its caller pauses until it may go on', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let groups = 0;
  const { queue, bulk } = threadsFor(async (channel) => {
    for (; groups < 3; groups++) {
      await channel.group(async () => channel.post(groups));
      await sleep(20);
    }
  });
  let isFull = true;
  const done = bulk.run({}, signal, { onMessage() {}, shouldPause: () => isFull, pause: () => promise });
  await sleep(100);
  t.equal(groups, 1);
  t.equal(queue.idle, 1, 'the place is free meanwhile');
  isFull = false;
  resolve();
  await done;
  t.equal(groups, 3);
});

t.test('a group that hangs loses its thread; an abort ends the task with its reason', async (t) => {
  const hangs = () =>
    threadsFor((channel, signal) =>
      channel.group(async () => {
        while (!signal.aborted) await sleep(5);
        throw new Error('ended');
      }),
    );
  const { bulk, queue } = hangs();
  await t.rejects(bulk.run({}, signal, QUIET), { code: 'worker_lost' });
  t.equal(queue.idle, 1);
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error('enough')), 20);
  await t.rejects(hangs().bulk.run({}, stop.signal, QUIET), { message: 'enough' });
});
