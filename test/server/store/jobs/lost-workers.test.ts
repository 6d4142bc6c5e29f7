import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import t from 'tap';
import type { Claim } from '../../../../server/store/jobs/contract.ts';
import { startWorker } from '../../../support/job-processes.ts';
import { drain, type OpenJobs, onEveryQueue, plan, RESULT } from '../../../support/job-stores.ts';
import { until } from '../../../support/process.ts';

/** Waits until the store has given a lost shard to another worker. */
async function takeOver({ store, lose, settings }: OpenJobs, lost: Claim): Promise<Claim> {
  // The heartbeat of a ticket is at least 10 s: they are taken as over.
  if (settings.queue.queue === 'pg-boss') await lose(lost);
  return until(() => store.claim('survivor'));
}

await onEveryQueue(t, async (t, fresh) => {
  await t.test('the shard of a process that is killed runs elsewhere once its lease is over', async (t) => {
    const jobs = await fresh(t, { leaseSeconds: 1 });
    const id = await plan(jobs, 1);
    const worker = startWorker(t, 'hold', jobs);
    const claim = JSON.parse(await worker.line()) as Claim;
    t.match(await jobs.store.shards(id, { limit: 1 }), {
      shards: [{ worker: `process ${worker.child.pid}` }],
    });
    await wait(1200);
    t.equal(await jobs.store.claim('w'), undefined, 'it keeps what it renews');
    worker.child.kill('SIGKILL');
    await once(worker.child, 'exit');
    const taken = await takeOver(jobs, claim);
    t.match(taken, { seq: 0, attempt: claim.attempt + 1, failures: 1 });
    t.ok(await jobs.store.commit(taken, RESULT));
    t.same(await drain(jobs.store), ['finish -1']);
    t.match(await jobs.store.get(id), { state: 'done', documents: { done: 2 } });
  });

  await t.test('a process that was stopped longer than its lease cannot commit when it wakes', async (t) => {
    const jobs = await fresh(t, { leaseSeconds: 1 });
    const id = await plan(jobs, 1);
    const worker = startWorker(t, 'hold', jobs);
    const claim = JSON.parse(await worker.line()) as Claim;
    worker.child.kill('SIGSTOP');
    const taken = await takeOver(jobs, claim);
    t.ok(await jobs.store.renew(taken));
    worker.child.stdin.write('commit\n');
    worker.child.kill('SIGCONT');
    t.equal(await worker.line(), 'false');
    t.match(await jobs.store.get(id), { documents: { done: 0 }, shards: { open: 1 } });
    t.ok(await jobs.store.commit(taken, RESULT));
    t.match(await jobs.store.get(id), { documents: { done: 2 }, state: 'finishing' });
  });
});
