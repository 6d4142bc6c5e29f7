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
