import { randomUUID } from 'node:crypto';
import t from 'tap';
import { ServiceError } from '../../../../core/errors.ts';
import type { Claim } from '../../../../server/store/jobs/contract.ts';
import { drain, JOB, NOTHING, onEveryQueue, plan, RESULT, shardsOf } from '../../../support/job-stores.ts';
import { until } from '../../../support/process.ts';
import { failure } from '../../../support/stores.ts';

/** JSON Lines with all that a statement might trip over. */
const UPLOAD = `{"text": "it's \\\\ \\u0000 ? ?? $1 :a -- /* 😀 %"}\n{"text": "\\"; drop table bulk_jobs"}\n`;

const FAILURE = { code: 'source_changed', values: { source: 'a.jsonl' } } as const;

await onEveryQueue(t, async (t, fresh) => {
  await t.test('cancelled at any point, nothing is open and a late commit changes nothing', async (t) => {
    const jobs = await fresh(t);
    const { store, next, sql } = jobs;
    const points: Readonly<Record<string, () => Promise<Claim>>> = {
      planning: next,
      async running() {
        const claim = await next();
        await store.addShards(claim, 0, shardsOf(3));
        await store.commit(claim, NOTHING);
        return next();
      },
      async finishing() {
        const claim = await next();
        await store.addShards(claim, 0, shardsOf(1));
        await store.commit(claim, NOTHING);
        await store.commit(await next(), RESULT);
        return next();
      },
    };
    for (const [state, reach] of Object.entries(points)) {
      const { job } = await store.create(JOB);
      const claim = await reach();
      t.equal((await store.get(job.id)).state, state);
      const cancelled = await store.cancel(job.id);
      t.match(cancelled, { state: 'cancelled', shards: { open: 0 } });
      t.type(cancelled.finished_at, 'number');
      t.notOk(await store.renew(claim), 'its worker hears of it');
      t.notOk(await store.commit(claim, RESULT));
      t.notOk(await store.fail(claim, FAILURE));
      await store.giveBack(claim);
      t.notOk(await store.addShards(claim, 0, shardsOf(9)));
      t.same(await store.get(job.id), cancelled, 'a late worker changes nothing');
      t.same(await store.cancel(job.id), cancelled, 'nor does another cancel');
      t.equal(await store.claim('w'), undefined);
      const open = `select * from bulk_shards where state in ('ready', 'running')`;
      t.same(await sql(open), []);
    }
    const id = await plan(jobs, 0);
    await drain(store);
    t.equal((await store.cancel(id)).state, 'done', 'what is over stays as it is');
  });

  await t.test('retry does again what failed or was cancelled, and only that', async (t) => {
    const jobs = await fresh(t);
    const { store, next } = jobs;
    const id = await plan(jobs, 4);
    await store.commit(await next(), RESULT);
    await store.fail(await next(), FAILURE, true);
    const late = await next();
    t.equal(await failure(store.retry(id)), 'job_not_over');
    const before = await store.cancel(id);
    const again = await store.retry(id);
    t.match(again, { state: 'running', error: null, finished_at: null, shards: { open: 3, failed: 0 } });
    t.ok(again.expires_at >= before.expires_at, 'it is kept longer');
    t.notOk(await store.commit(late, RESULT), 'an old worker is fenced');
    const redone = await until(async () => (await store.claim('w')) ?? false);
    t.match(redone, { seq: 1, attempt: 3, failures: 0 });
    t.ok(await store.commit(redone, RESULT));
    await until(async () => {
      await drain(store);
      return (await store.get(id)).state === 'done';
    });
    t.match(await store.get(id), { chunks: 16, documents: { done: 8 }, shards: { total: 4, failed: 0 } });
    t.equal(await failure(store.retry(id)), 'job_not_over');
    const { job } = await store.create(JOB);
    await store.cancel(job.id);
    t.equal((await store.retry(job.id)).state, 'planning', 'a plan too');
    t.match(await next(), { kind: 'plan', attempt: 1 + 1 });
  });

  await t.test('too many failed documents fail the job and cancel the rest', async (t) => {
    const jobs = await fresh(t);
    const { store, next } = jobs;
    const id = await plan(jobs, 4, { maxErrors: 2 });
    const other = await next();
    await store.commit(await next(), { ...RESULT, documentsFailed: 2 });
    t.equal((await store.get(id)).state, 'running', 'as many as it may have');
    t.ok(await store.commit(await next(), { ...RESULT, documentsFailed: 1 }), 'the shard itself is done');
    const failed = await store.get(id);
    t.match(failed, { state: 'failed', shards: { open: 0 }, documents: { failed: 3 } });
    t.match(
      new ServiceError(failed.error?.code as 'internal', failed.error?.values).detail,
      /^3 documents .* 2 /,
    );
    t.notOk(await store.commit(other, RESULT));
    t.equal(await store.claim('w'), undefined);
    await store.retry(id);
    await until(async () => {
      await drain(store);
      return (await store.get(id)).state === 'done';
    });
    t.equal((await store.get(id)).shards.failed, 0, 'after a retry only a further one does');
  });

  await t.test('whoever asked for it is called back, whatever the end', async (t) => {
    const jobs = await fresh(t);
    const { store, next } = jobs;
    const done = await plan(jobs, 1, { notifies: true });
    t.same(await drain(store), ['chunk 0', 'finish -1', 'notify -3']);
    const after = await store.get(done);
    t.match(after, { state: 'done', shards: { total: 1, open: 0 } });

    const { job } = await store.create({ ...JOB, notifies: true });
    const cancelled = await store.cancel(job.id);
    const call = await next();
    t.match(call, { kind: 'notify', jobId: job.id, attempt: 1 });
    t.ok(await store.fail(call, FAILURE));
    t.same(await store.get(job.id), cancelled, 'a try that fails changes nothing');
    const last = await next();
    t.equal(last.kind, 'notify');
    t.ok(await store.fail(last, FAILURE, true));
    t.same(await store.get(job.id), cancelled, 'nor does the last one');
    await store.retry(job.id);
    const planned = await until(async () => (await store.claim('w')) ?? false);
    t.ok(await store.fail(planned, FAILURE, true));
    const second = await next();
    t.match(second, { kind: 'notify', jobId: job.id }, 'the end of another try is told too');
    await store.retry(job.id);
    t.notOk(await store.commit(second, NOTHING), 'but not once the job goes on');
  });

  await t.test(
    'a small job overtakes a large one, and no job of an owner waits for all of another',
    async (t) => {
      const jobs = await fresh(t);
      const large = await plan(jobs, 300);
      for (let count = 0; count < 20; count++) await jobs.store.commit(await jobs.next(), RESULT);
      const small = await plan(jobs, 5);
      const order: string[] = [];
      while (order.filter((id) => id === small).length < 5) {
        const claim = (await jobs.store.claim('w')) as Claim;
        await jobs.store.commit(claim, RESULT);
        order.push(claim.jobId);
      }
      t.ok(order.length <= 12, `the small one took ${order.length} turns`);
      t.ok(order.includes(large), 'they take turns');
    },
  );

  await t.test('an idempotency key gives one job, also to those who ask at once', async (t) => {
    const { store } = await fresh(t);
    const asked = { ...JOB, idempotencyKey: 'key', upload: UPLOAD };
    const answers = await Promise.all(Array.from({ length: 8 }, () => store.create(asked)));
    t.equal(new Set(answers.map(({ job }) => job.id)).size, 1);
    t.equal(answers.filter(({ isNew }) => isNew).length, 1);
    const id = answers[0]?.job.id as string;
    t.equal(await store.upload(id), UPLOAD, 'what came with the request comes back exactly');
    t.equal(await store.upload(randomUUID()), null);
    t.equal(await failure(store.create({ ...asked, digest: 'other' })), 'idempotency_key_reused');
    t.ok((await store.create(JOB)).isNew);
    t.ok((await store.create(JOB)).isNew, 'without a key there are as many as asked for');
    t.equal((await store.list({ limit: 10 })).jobs.length, 3);
    await store.cancel(id);
    await store.remove(id);
    t.ok((await store.create({ ...asked, digest: 'other' })).isNew, 'a key is free once its job is gone');
  });

  await t.test('pages of jobs have each job once, newest first', async (t) => {
    const { store } = await fresh(t);
    const ids: string[] = [];
    for (let count = 0; count < 7; count++) ids.unshift((await store.create(JOB)).job.id);
    await store.cancel(ids[2] as string);
    const found: string[] = [];
    for (let after: { created_at: number; id: string } | undefined, hasMore = true; hasMore; ) {
      const page = await store.list({ limit: 3, after });
      found.push(...page.jobs.map(({ id }) => id));
      after = page.jobs.at(-1);
      hasMore = page.hasMore;
    }
    t.same(found, ids);
    t.same(
      (await store.list({ limit: 9, state: 'cancelled' })).jobs.map(({ id }) => id),
      [ids[2]],
    );
  });

  await t.test('what is over goes when its time is over, or when asked', async (t) => {
    const jobs = await fresh(t);
    const { store, sql } = jobs;
    const kept = await plan(jobs, 2);
    t.equal(await failure(store.remove(kept)), 'job_not_over');
    await drain(store);
    const { job } = await store.create({ ...JOB, keepSeconds: 0 });
    const other = (await store.create({ ...JOB, keepSeconds: -5 })).job;
    t.same(
      (await store.expired(9)).map(({ id }) => id),
      [other.id, job.id],
    );
    t.same(
      (await store.expired(1)).map(({ id }) => id),
      [other.id],
      'the oldest first',
    );
    for (const { id } of [job, other]) {
      await store.cancel(id);
      await store.remove(id);
      t.equal(await failure(store.get(id)), 'job_not_found');
      t.same(await store.shards(id, { limit: 9 }), { shards: [], hasMore: false });
    }
    t.same(await store.expired(9), []);
    await store.remove(kept);
    t.same(await sql('select * from bulk_shards'), []);
    for (const id of ['x', randomUUID(), `${randomUUID()}; drop table bulk_jobs`]) {
      for (const ask of ['get', 'cancel', 'retry', 'remove'] as const) {
        t.equal(await failure(store[ask](id)), 'job_not_found', `${ask} ${id}`);
      }
    }
  });

  await t.test('the load says how many shards are in each state, and how long one waits', async (t) => {
    const jobs = await fresh(t);
    const { store, sql } = jobs;
    const empty = { ready: 0, running: 0, done: 0, failed: 0, cancelled: 0 };
    t.same(await store.load(), { shards: empty, oldestReadySeconds: 0 });
    await plan(jobs, 4);
    await store.commit(await jobs.next(), RESULT);
    await jobs.next();
    await sql(`update bulk_shards set due_at = due_at - 50 where state = 'ready' and seq = 3`);
    const { shards, oldestReadySeconds } = await store.load();
    t.same(shards, { ...empty, ready: 2, running: 1, done: 2 });
    t.ok(oldestReadySeconds >= 50 && oldestReadySeconds < 60, String(oldestReadySeconds));
  });

  await t.test('a lease further off than any is of a clock that was set back', async (t) => {
    const jobs = await fresh(t);
    await plan(jobs, 1);
    const claim = await jobs.next();
    await jobs.lose(claim);
    await jobs.sql('update bulk_shards set due_at = due_at + 1e10 where seq = 0');
    t.match(await jobs.next(), { seq: 0, attempt: 2 });
  });
});
