import t from 'tap';
import { PriorityQueue } from '../../../server/run/priority-queue.ts';

const { signal } = new AbortController();

t.test(
  'patient tasks wait although the queue is full, take no place in it, and let small ones go first',
  async (t) => {
    const queue = new PriorityQueue({ threads: 1, queueSize: 1 });
    const order: string[] = [];
    const leave = await queue.enter(10, signal);
    const enter = (name: string, isPatient: boolean) =>
      queue.enter(10, signal, isPatient ? 'patient' : 'none').then((leave) => {
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
  },
);

t.test('a patient task that is given up leaves no place taken', async (t) => {
  const queue = new PriorityQueue({ threads: 1, queueSize: 0 });
  const leave = await queue.enter(10, signal);
  const stop = new AbortController();
  const patient = queue.enter(10, stop.signal, 'patient');
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
  const enter = (name: string, bytes: number, patience: 'none' | 'patient' | 'bulk') =>
    queue.enter(bytes, signal, patience).then((leave) => {
      order.push(name);
      return leave;
    });
  const bulk = await enter('bulk', 10, 'bulk');
  const second = enter('second bulk', 10, 'bulk');
  const large = await enter('large', 1_000_000, 'none');
  const small = await enter('small', 10, 'none');
  t.same(order, ['bulk', 'large', 'small'], 'a small task needs no free thread, bulk work has had its share');
  const waiting = [enter('stream', 10, 'patient'), enter('second large', 1_000_000, 'none')];
  bulk();
  large();
  (await waiting[0])?.();
  (await waiting[1])?.();
  small();
  t.same(order.slice(3, 5), ['stream', 'second large'], 'what came later than bulk work goes first');
  (await second)();
  t.equal(order.at(-1), 'second bulk');
});
