import { setTimeout as wait } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { Claim } from '../../../../server/store/jobs/contract.ts';
import { JOB, NOTHING, type OpenJobs, onEveryQueue, RESULT, shardsOf } from '../../../support/job-stores.ts';

/** The documents of a large archive, one shard each. */
const MANY = 65_000;
/** PostgreSQL has its own process; here it is about what is written at once. */
const FEWER = 10_000;

/** Runs work, and counts the turns that others had meanwhile. @returns `longest` the largest share of the work between two */
async function countTurns(work: () => Promise<unknown>): Promise<{ turns: number; longest: number }> {
  let isOver = false;
  const turns: number[] = [];
  const watch = async () => {
    for (let last = process.cpuUsage(); !isOver; last = process.cpuUsage()) {
      await wait(1);
      const { user, system } = process.cpuUsage(last);
      turns.push((user + system) / 1000);
    }
  };
  const watching = watch();
  await work().finally(() => {
    isOver = true;
  });
  await watching;
  const total = turns.reduce((sum, turn) => sum + turn, 0);
  return { turns: turns.length, longest: Math.max(...turns) / total };
}

async function planMany({ store, next }: OpenJobs, count: number): Promise<string> {
  const { job } = await store.create(JOB);
  const claim = await next();
  await store.addShards(claim, 0, shardsOf(count));
  await store.commit(claim, NOTHING);
  return job.id;
}

await onEveryQueue(t, async (t: Test, fresh) => {
  await t.test('a large job leaves others their turn', async (t) => {
    const jobs = await fresh(t);
    const { store } = jobs;
    const count = jobs.settings.databaseUrl === '' ? MANY : FEWER;
    let id = '';
    const check = async (what: string, work: () => Promise<unknown>) => {
      const { turns, longest } = await countTurns(work);
      t.ok(turns >= count / 2000, `${what}: ${turns} turns`);
      t.ok(longest < 0.5, `${what}: at most ${Math.round(longest * 100)} % of the work at once`);
    };
    await check('planned', async () => {
      id = await planMany(jobs, count);
    });
    t.match(await store.get(id), { shards: { total: count, open: count } });
    const { shards, hasMore } = await store.shards(id, { limit: 100, after: count - 150 });
    t.same([shards.length, shards[0]?.seq, hasMore], [100, count - 149, true]);
    t.ok(await store.commit((await store.claim('w')) as Claim, RESULT));
    await check('cancelled', () => store.cancel(id));
    t.equal((await store.load()).shards.cancelled, count - 1);
    await check('opened again', () => store.retry(id));
    t.equal((await store.load()).shards.ready, count - 1);
    await store.cancel(id);
    await check('removed', () => store.remove(id));
    t.equal((await store.load()).shards.done, 0);
  });
});
