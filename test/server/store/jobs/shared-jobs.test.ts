import t from 'tap';
import { startWorker } from '../../../support/job-processes.ts';
import { drain, JOB, NOTHING, onEveryQueue, plan } from '../../../support/job-stores.ts';

await onEveryQueue(t, async (t, fresh) => {
  await t.test('processes share a job, and none of its shards is done twice', async (t) => {
    const jobs = await fresh(t);
    const id = await plan(jobs, 150);
    const workers = [startWorker(t, 'drain', jobs), startWorker(t, 'drain', jobs)];
    const counts = await Promise.all(workers.map(async (worker) => Number(await worker.line())));
    t.comment(`${counts} shards each`);
    const left = (await drain(jobs.store)).length;
    t.equal((counts[0] ?? 0) + (counts[1] ?? 0) + left, 151, 'the shards and the manifest');
    t.match(await jobs.store.get(id), { state: 'done', documents: { done: 300 }, chunks: 600 });
    const { shards } = await jobs.store.shards(id, { limit: 200 });
    t.ok(shards.every(({ attempt, state }) => attempt === 1 && state === 'done'));
  });

  await t.test('two processes that plan the same plan it once', async (t) => {
    const jobs = await fresh(t);
    const { job } = await jobs.store.create(JOB);
    const first = await jobs.next();
    const parts = Array.from({ length: 1200 }, (_, part) => ({ range: { part }, bytes: 1 }));
    await jobs.lose(first);
    const second = await jobs.next();
    const [isStale, isMine] = await Promise.all([
      jobs.store.addShards(first, 0, parts),
      jobs.store.addShards(second, 0, parts),
    ]);
    t.same([isStale, isMine], [false, true]);
    t.ok(await jobs.store.addShards(second, 0, parts.slice(0, 700)), 'what is planned stays');
    t.ok(await jobs.store.commit(second, NOTHING));
    t.match(await jobs.store.get(job.id), { shards: { total: 1200, open: 1200 }, bytes: { total: 1200 } });
    t.equal((await jobs.store.load()).shards.ready, 1200);
  });
});
