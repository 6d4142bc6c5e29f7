import t, { type Test } from 'tap';
import { createCalls } from '../../../server/store/failures.ts';
import { createPipelineStore } from '../../../server/store/stores.ts';
import { transact } from '../../../server/store/transact.ts';
import { JOB, openOnSqlite } from '../../support/job-stores.ts';
import { failure } from '../../support/stores.ts';

/** A transaction whose rollback failed kept its connection for ever, and every later call waited for it. */

async function openStores(t: Test) {
  const { store, database } = await openOnSqlite(t);
  const { em } = await database.open();
  return { jobs: store, pipelines: createPipelineStore(database), em };
}

t.test('SQLite whose disk is full answers 503, and works again once there is space', async (t) => {
  const { jobs, pipelines, em } = await openStores(t);
  const [size] = await em.execute<{ page_count: number }[]>('pragma page_count');
  await em.execute(`pragma max_page_count = ${size?.page_count}`);
  const large = { ...JOB, upload: 'a'.repeat(1_000_000) };
  for (let count = 0; count < 3; count++) t.equal(await failure(jobs.create(large)), 'store_unavailable');
  t.same((await pipelines.list({ limit: 10 })).pipelines, [], 'what only reads is answered meanwhile');
  await pipelines.ping();
  await em.execute('pragma max_page_count = 1000000');
  t.ok((await jobs.create(large)).isNew);
  t.equal((await jobs.list({ limit: 10 })).jobs.length, 1, 'and nothing of what failed was stored');
});

t.test('a rollback that fails leaves the connection to the next transaction', async (t) => {
  const { em } = await openStores(t);
  for (const end of ['rollback', 'commit']) {
    const work = transact(em, async (tx) => {
      await tx.execute(end);
      throw new Error('the work');
    });
    await t.rejects(work, { message: 'the work' }, 'what failed is what is said');
  }
  t.equal(await transact(em, async () => 'well'), 'well');
  await em.execute('begin');
  t.equal(await transact(em, async () => 'well'), 'well', 'one that is still open is rolled back before');
});

t.test('a database that never answers is an error in time, and counts as stuck after a minute', async (t) => {
  let now = 0;
  const calls = createCalls(() => now, 10);
  t.notOk(calls.areStuck());
  const make = (work: () => Promise<unknown>) => calls.make(() => false, work);
  // The service does not stay alive for it alone.
  const alive = setInterval(() => {}, 1000);
  t.teardown(() => clearInterval(alive));
  t.equal(await failure(make(() => new Promise(() => {}))), 'store_unavailable');
  now = 59_000;
  t.notOk(calls.areStuck());
  now = 61_000;
  t.ok(calls.areStuck());
  t.equal(await make(async () => 'well'), 'well');
});
