import t from 'tap';
import { JOB, NOTHING, onEveryQueue, shardsOf } from '../../../support/job-stores.ts';
import { failure } from '../../../support/stores.ts';

await onEveryQueue(t, async (t, fresh) => {
  await t.test('a plan that is made again adds what is missing, if it is the same', async (t) => {
    const jobs = await fresh(t);
    const { store, next } = jobs;
    const { job } = await store.create(JOB);
    const first = await next();
    t.ok(await store.addShards(first, 0, shardsOf(2)));
    await jobs.lose(first);
    // A shard that is there already may be handed out before the plan is.
    const claims = [await next(), await next(), await next()];
    const again = claims.find(({ kind }) => kind === 'plan');
    if (again === undefined) throw new Error('the plan was not handed out again');
    t.notOk(await store.addShards(first, 2, shardsOf(1)), 'the one who was lost adds nothing');
    const others = [...shardsOf(1), { range: { part: 7 }, bytes: 10 }];
    t.equal(await failure(store.addShards(again, 0, others)), 'source_changed');
    t.ok(await store.addShards(again, 0, shardsOf(4)));
    t.ok(await store.commit(again, NOTHING));
    t.match(await store.get(job.id), {
      state: 'running',
      shards: { total: 4, open: 4 },
      bytes: { total: 40 },
    });
  });
});
