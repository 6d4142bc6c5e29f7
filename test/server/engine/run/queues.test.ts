import { setImmediate } from 'node:timers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { PriorityQueue } from '../../../../server/engine/run/priority-queue.ts';
import { EventLoopScheduler } from '../../../../server/engine/run/runner.ts';

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

t.test('patient tasks wait though the queue is full, take no place, and let small ones pass', async (t) => {
  const queue = new PriorityQueue({ threads: 1, queueSize: 1 });
  const order: string[] = [];
  const leave = await queue.enter(10, signal);
  const enter = (name: string, isPatient: boolean) =>
    queue.enter(10, signal, { urgency: isPatient ? 'patient' : 'urgent' }).then((leave) => {
      order.push(name);
      leave();
    });
  const waiting = [enter('patient', true), enter('second patient', true), enter('small', false)];
  t.equal(queue.waiting, 3);
  await t.rejects(queue.enter(10, signal), { code: 'overloaded' });
  waiting.push(enter('third patient', true));
  leave();
  await Promise.all(waiting);
  t.same(order, ['small', 'patient', 'second patient', 'third patient']);
  t.notOk(queue.isFull);
});

t.test('a patient task that is given up leaves no place taken', async (t) => {
  const queue = new PriorityQueue({ threads: 1, queueSize: 0 });
  const leave = await queue.enter(10, signal);
  const stop = new AbortController();
  const patient = queue.enter(10, stop.signal, { urgency: 'patient' });
  stop.abort(new Error('gone'));
  await t.rejects(patient, { message: 'gone' });
  t.equal(queue.waiting, 0);
  await t.rejects(queue.enter(10, signal), { code: 'overloaded' });
  leave();
  (await queue.enter(10, signal))();
});

t.test('bulk work lets all others go first, and takes no more threads than it may', async (t) => {
  const queue = new PriorityQueue({ threads: 2, queueSize: 8, bulk: 1 });
  const order: string[] = [];
  const enter = (name: string, bytes: number, urgency: 'urgent' | 'patient' | 'bulk') =>
    queue.enter(bytes, signal, { urgency }).then((leave) => {
      order.push(name);
      return leave;
    });
  const bulk = await enter('bulk', 10, 'bulk');
  const second = enter('second bulk', 10, 'bulk');
  const large = await enter('large', 1_000_000, 'urgent');
  const small = await enter('small', 10, 'urgent');
  t.same(order, ['bulk', 'large', 'small'], 'a small task needs no free thread, bulk work has had its share');
  const waiting = [enter('stream', 10, 'patient'), enter('second large', 1_000_000, 'urgent')];
  bulk();
  large();
  for (const leave of waiting) (await leave)();
  small();
  t.same(order.slice(3, 5), ['stream', 'second large'], 'what came later than bulk work goes first');
  (await second)();
  t.equal(order.at(-1), 'second bulk');
});

t.test('who leaves twice leaves one place', async (t) => {
  const queue = new PriorityQueue({ threads: 1, queueSize: 8 });
  const leave = await queue.enter(1_000_000, signal);
  const entered: number[] = [];
  for (const one of [1, 2]) void queue.enter(1_000_000, signal).then(() => entered.push(one));
  leave();
  leave();
  await nextTurn();
  t.same(entered, [1]);
});

const FILE = 10;

/** A queue in which senders have files read: who is in work, in order. */
function filesIn(threads: number) {
  const queue = new PriorityQueue({ threads, queueSize: 100 });
  const begun: string[] = [];
  const leaves = new Map<string, () => void>();
  const enter = (sender: string | undefined, name = sender ?? 'text', bytes = FILE) => {
    void queue.enter(bytes, signal, { sender }).then((leave) => {
      begun.push(name);
      leaves.set(name, leave);
    });
    return nextTurn();
  };
  const leave = (name: string) => {
    leaves.get(name)?.();
    return nextTurn();
  };
  return { queue, begun, enter, leave };
}

for (const threads of [1, 2, 4]) {
  for (const bytes of [FILE, 1_000_000]) {
    t.test(`one sender cannot hold all ${threads} threads, with files of ${bytes} bytes`, async (t) => {
      const { begun, enter, leave } = filesIn(threads);
      for (let at = 0; at < 3 * threads; at++) await enter('one', `one${at}`, bytes);
      t.equal(begun.length, threads, 'it has all of them while nobody else wants one');
      await enter('two', 'two', bytes);
      t.equal(begun.at(-1), 'two', 'begins at once');
      await enter('three', 'three', bytes);
      t.not(begun.at(-1), 'three', 'there is one thread for all others');
      await leave('two');
      t.equal(begun.at(-1), 'three');
      await leave('three');
      t.equal(begun.length, threads + 2, 'and none for more files of the first');
      await enter(undefined, 'text', bytes);
      t.equal(begun.at(-1), 'text', 'work that reads no file is another sender too');
    });
  }
}

t.test('senders of files take turns', async (t) => {
  const { begun, enter, leave } = filesIn(1);
  await enter(undefined, 'first', 1_000_000);
  for (let at = 0; at < 3; at++) await enter('one', `one${at}`, 1_000_000);
  await enter('two', 'two0', 1_000_000);
  await enter('two', 'two1', 1_000_000);
  for (let at = 0; at < begun.length; at++) await leave(begun[at] as string);
  t.same(begun.slice(0, 2), ['first', 'one0']);
  t.equal(begun.indexOf('two0'), 2, begun.join());
  t.equal(begun.length, 6, 'none is forgotten');
});

t.test('of the files that wait, the next is by the sender with the fewest in work', async (t) => {
  const { begun, enter, leave } = filesIn(3);
  for (const name of ['one0', 'one1', 'two0']) await enter(name.slice(0, 3), name);
  for (const name of ['one2', 'one3', 'two1', 'six0']) await enter(name.slice(0, 3), name);
  await leave('one0');
  await leave('one1');
  await leave('two0');
  t.same(begun.slice(3), ['six0', 'one2', 'two1']);
});

t.test('files take no room from small requests, and wait with them in order', async (t) => {
  const { begun, enter, leave } = filesIn(2);
  await enter('one', 'one0');
  await enter('one', 'one1');
  await enter(undefined, 'text0');
  await enter(undefined, 'text1');
  t.same(begun, ['one0', 'one1', 'text0'], 'one small request besides files, as besides large requests');
  await enter('one', 'one2');
  await enter(undefined, 'text2');
  await leave('one0');
  await leave('text0');
  await leave('one1');
  t.same(begun.slice(3, 4), ['text1'], 'who came first');
  await leave('text1');
  t.ok(begun.includes('one2'), 'files are not passed for ever');
});

t.test('a waiting file that is given up leaves the turns as they were', async (t) => {
  const { queue, begun, enter, leave } = filesIn(1);
  await enter('one', 'one0');
  const stop = new AbortController();
  const given = queue.enter(FILE, stop.signal, { sender: 'one' });
  stop.abort(new Error('gone'));
  await t.rejects(given, { message: 'gone' });
  await enter('one', 'one1');
  await leave('one0');
  t.same(begun, ['one0', 'one1']);
  t.equal(queue.waiting, 0);
});
