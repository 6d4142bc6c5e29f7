import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { ServiceError } from '../../../../core/errors.ts';
import { type Claim, NO_DOCUMENTS } from '../../../../server/store/jobs/contract.ts';
import {
  JOB,
  type OpenFresh,
  type OpenJobs,
  RESULT,
  resultWith,
  shardsOf,
} from '../../../support/job-stores.ts';
import { failure } from '../../../support/stores.ts';
import { until } from '../../../support/until.ts';
import { FAILURE } from './state-cases.ts';

/** JSON Lines with all that a statement might trip over. */
const UPLOAD = `{"text": "it's \\\\ \\u0000 ? ?? $1 :a -- /* 😀 %"}\n{"text": "\\"; drop table bulk_jobs"}\n`;

/** Does what there is until a job is done. */
const finish = ({ store, drain }: OpenJobs, id: string) =>
  until(async () => (await drain()) && (await store.get(id)).state === 'done');

const detailOf = ({ code, values }: NonNullable<Awaited<ReturnType<OpenJobs['store']['get']>>['error']>) =>
  new ServiceError(code as 'internal', values);

/** What is promised of whole jobs, for any database and way of handing out shards. */
export async function wholeJobCases(t: Test, fresh: OpenFresh): Promise<void> {
  await t.test('cancelled at any point, nothing is open and a late commit changes nothing', async (t) => {
    const { store, next, sql, plan, drain } = await fresh(t);
    const shards = { planning: undefined, running: 3, finishing: 1 };
    for (const [state, count] of Object.entries(shards)) {
      const { id } = count === undefined ? (await store.create(JOB)).job : { id: await plan(count) };
      if (state === 'finishing') await store.commit(await next(), RESULT);
      const claim = await next();
      t.equal((await store.get(id)).state, state);
      const cancelled = await store.cancel(id);
      t.match(cancelled, { state: 'cancelled', shards: { open: 0 } });
      t.type(cancelled.finished_at, 'number');
      t.notOk(await store.renew(claim), 'its worker hears of it');
      t.notOk(await store.commit(claim, RESULT));
      t.notOk(await store.fail(claim, FAILURE));
      await store.giveBack(claim);
      t.notOk(await store.addShards(claim, 0, shardsOf(9)));
      t.same(await store.get(id), cancelled, 'a late worker changes nothing');
      t.same(await store.cancel(id), cancelled, 'nor does another cancel');
      t.equal(await store.claim('w'), undefined);
      t.same(await sql(`select * from bulk_shards where state in ('ready', 'running')`), []);
    }
    const id = await plan(0);
    t.same(await drain(), ['finish -1'], 'a job without documents finishes at once');
    t.equal((await store.cancel(id)).state, 'done', 'what is over stays as it is');
  });

  await t.test('retry does again what failed or was cancelled, and only that', async (t) => {
    const jobs = await fresh(t);
    const { store, next } = jobs;
    const id = await jobs.plan(4);
    await store.commit(await next(), RESULT);
    await store.fail(await next(), FAILURE, true);
    const late = await next();
    t.equal(await failure(store.retry(id)), 'job_not_over');
    const before = await store.cancel(id);
    const again = await store.retry(id);
    t.match(again, { state: 'running', error: null, finished_at: null, shards: { open: 3, failed: 0 } });
    t.ok(again.expires_at >= before.expires_at, 'it is kept longer');
    t.notOk(await store.commit(late, RESULT), 'an old worker is fenced');
    const redone = await next();
    t.match(redone, { seq: 1, attempt: 3, failures: 0 });
    t.ok(await store.commit(redone, RESULT));
    await finish(jobs, id);
    t.match(await store.get(id), {
      counts: { chunks: 16, documents: 8, failed: 0 },
      shards: { total: 4, failed: 0 },
    });
    t.equal(await failure(store.retry(id)), 'job_not_over');
    const { job } = await store.create(JOB);
    await store.cancel(job.id);
    t.equal((await store.retry(job.id)).state, 'planning', 'a plan too');
    t.match(await next(), { kind: 'plan', attempt: 1 + 1 });
  });

  await t.test('too many failed documents fail the job and cancel the rest', async (t) => {
    const jobs = await fresh(t);
    const { store, next } = jobs;
    const id = await jobs.plan(4, { maxErrors: 2 });
    const other = await next();
    await store.commit(await next(), resultWith({ failed: 2 }));
    t.equal((await store.get(id)).state, 'running', 'as many as it may have');
    t.ok(await store.commit(await next(), resultWith({ failed: 1 })), 'the shard itself is done');
    const { error, ...failed } = await store.get(id);
    t.match(failed, { state: 'failed', shards: { open: 0 }, counts: { failed: 3 } });
    t.match(error, { code: 'too_many_failed', values: { failed: 3, most: 2 } });
    const told = error && detailOf(error);
    t.match(told, { status: 422, detail: /^3 documents .* is 2\)/ }, 'not as if its request were wrong');
    t.notOk(await store.commit(other, RESULT));
    t.equal(await store.claim('w'), undefined);
    await store.retry(id);
    await finish(jobs, id);
    t.equal((await store.get(id)).shards.failed, 0, 'after a retry only a further one does');
  });

  await t.test('a job fails if every document failed; with one that was chunked it is done', async (t) => {
    const { store, next, plan, drain } = await fresh(t);
    const [none, one] = [await plan(2), await plan(2)];
    const failed = resultWith({ failed: RESULT.counts.documents, chunks: 0 });
    const chunks = [await next(), await next(), await next(), await next()];
    const isGood = ({ jobId, seq }: Claim) => jobId === one && seq === 1;
    for (const chunk of chunks) await store.commit(chunk, isGood(chunk) ? RESULT : failed);
    await drain();
    const { state, error } = await store.get(none);
    t.match({ state, error }, { state: 'failed', error: { code: 'all_failed', values: { failed: 4 } } });
    t.match(error && detailOf(error).message, /4 of 4 documents failed: .*errors/, 'where the reasons are');
    t.match(await store.get(one), { state: 'done', counts: { documents: 4, failed: 2 } });
  });

  await t.test('whoever asked for it is called back, whatever the end', async (t) => {
    const { store, next, plan, drain } = await fresh(t);
    const done = await plan(1, { notifies: true });
    t.same(await drain(), ['chunk 0', 'finish -1', 'notify -3']);
    t.match(await store.get(done), { state: 'done', shards: { total: 1, open: 0 } });

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
    t.ok(await store.fail(await next(), FAILURE, true));
    const second = await next();
    t.match(second, { kind: 'notify', jobId: job.id }, 'the end of another try is told too');
    await store.retry(job.id);
    t.notOk(await store.commit(second, NO_DOCUMENTS), 'but not once the job goes on');
  });

  await t.test('a small job overtakes a large one, and none waits for all of another', async (t) => {
    const { store, next, plan } = await fresh(t);
    const large = await plan(300);
    for (let count = 0; count < 20; count++) await store.commit(await next(), RESULT);
    const small = await plan(5);
    const order: string[] = [];
    while (order.filter((id) => id === small).length < 5) {
      const claim = (await store.claim('w')) as Claim;
      await store.commit(claim, RESULT);
      order.push(claim.jobId);
    }
    t.ok(order.length <= 12, `the small one took ${order.length} turns`);
    t.ok(order.includes(large), 'they take turns');
  });

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
    for (let count = 0; count < 7; count++) {
      ids.unshift((await store.create(JOB)).job.id);
      // Times of SQLite have milliseconds.
      await sleep(2);
    }
    await store.cancel(ids[2] as string);
    const found: string[] = [];
    for (let after: { created_at: number; id: string } | undefined, hasMore = true; hasMore; ) {
      const page = await store.list({ limit: 3, after });
      found.push(...page.jobs.map(({ id }) => id));
      after = page.jobs.at(-1);
      hasMore = page.hasMore;
    }
    t.same(found, ids);
    const { jobs, hasMore } = await store.list({ limit: 9, state: 'cancelled' });
    t.same([...jobs.map(({ id }) => id), hasMore], [ids[2], false]);
  });

  await t.test('what is over goes when its time is over, or when asked', async (t) => {
    const { store, sql, plan, drain } = await fresh(t);
    const kept = await plan(2);
    t.equal(await failure(store.remove(kept)), 'job_not_over');
    await drain();
    const { job } = await store.create({ ...JOB, keepSeconds: 0 });
    const other = (await store.create({ ...JOB, keepSeconds: -5 })).job;
    const expired = async (limit: number) => (await store.expired(limit)).map(({ id }) => id);
    t.same(await expired(9), [other.id, job.id]);
    t.same(await expired(1), [other.id], 'the oldest first');
    for (const { id } of [job, other]) {
      await store.cancel(id);
      await store.remove(id);
      t.equal(await failure(store.get(id)), 'job_not_found');
      t.same(await store.shards(id, { limit: 9 }), { shards: [], hasMore: false });
    }
    t.same(await expired(9), []);
    await store.remove(kept);
    t.same(await sql('select * from bulk_shards'), []);
    for (const id of ['x', randomUUID(), `${randomUUID()}; drop table bulk_jobs`]) {
      for (const ask of ['get', 'cancel', 'retry', 'remove'] as const) {
        t.equal(await failure(store[ask](id)), 'job_not_found', `${ask} ${id}`);
      }
    }
  });

  await t.test('documents of a source are known until forgotten, and gone if no job has them', async (t) => {
    const { store, next, sql } = await fresh(t);
    const claims = new Map<number, Claim>();
    for (const made of [1, 2, 3]) {
      const { job } = await store.create(JOB);
      await sql('update bulk_jobs set created_at = ? where id = ?', [made, job.id]);
      claims.set(made, await next());
    }
    const [first, second, third] = [1, 2, 3].map((made) => claims.get(made) as Claim) as [
      Claim,
      Claim,
      Claim,
    ];
    const of = { sink: 's', source: 'a' };
    const odd = ['\0', '\ud800', '\udc00', '?', '"', 'x'];
    const ids = [...odd, ...Array.from({ length: 1200 }, (_, index) => `${index}`)];
    const goneIn = async () => (await store.goneDocuments(second.jobId, of)).map(({ id }) => id).sort();
    await store.noteStored(first, of, [...ids, ...ids]);
    await store.noteStored(first, { ...of, source: 'b' }, ['x', 'y']);
    await store.noteStored(third, of, ids.slice(7));
    t.equal(await store.countGone(second.jobId, of), 7, 'a newer job has the others');
    await store.noteFailed(second.jobId, of, ['0', 'y']);
    t.same(await goneIn(), [...odd].sort(), 'one that failed is not gone, nor is one made of it');
    t.same(
      (await store.goneDocuments(second.jobId, of)).filter(({ isElsewhere }) => isElsewhere),
      [{ id: 'x', isElsewhere: true }],
    );
    const stale = { ...second, attempt: 0 };
    t.notOk(await store.forgetDocuments(stale, of, odd, { pruned: 6, unpruned: 0 }));
    t.ok(await store.forgetDocuments(second, of, [...odd, '1'], { pruned: 5, unpruned: 2 }));
    t.same(await goneIn(), []);
    t.match(await store.get(second.jobId), { pruned: 5, unpruned: 2 });
    t.same(
      await store.noteStored({ ...second, seq: 7 }, of, ['0', 'z']),
      [],
      'an earlier shard failed at one',
    );
    t.same((await store.noteStored({ ...second, seq: 8 }, of, ['0', '5', 'z'])).toSorted(), ['0', 'z']);
    t.same(await store.noteStored({ ...second, seq: 7 }, of, ['0', 'z']), [], 'its own, once more');
    await store.noteStored(first, of, ['1']);
    t.equal(
      await store.countGone(third.jobId, of),
      2,
      'of the failed one and the new one; an older job takes nothing back',
    );
    await store.cancel(first.jobId);
    await store.remove(first.jobId);
    t.equal(await store.countGone(second.jobId, { ...of, source: 'b' }), 2, 'they outlive their job');
  });

  await t.test('the load says how many shards are in each state, and how long one waits', async (t) => {
    const { store, next, sql, plan } = await fresh(t);
    const empty = { ready: 0, running: 0, done: 0, failed: 0, cancelled: 0 };
    t.same(await store.load(), { shards: empty, oldestReadySeconds: 0 });
    await plan(4);
    await store.commit(await next(), RESULT);
    await next();
    await sql(`update bulk_shards set due_at = due_at - 50 where state = 'ready' and seq = 3`);
    const { shards, oldestReadySeconds } = await store.load();
    t.same(shards, { ...empty, ready: 2, running: 1, done: 2 });
    t.ok(oldestReadySeconds >= 50 && oldestReadySeconds < 60, String(oldestReadySeconds));
  });

  await t.test('a lease further off than any is of a clock that was set back', async (t) => {
    const { lose, next, sql, plan } = await fresh(t);
    await plan(1);
    await lose(await next());
    await sql('update bulk_shards set due_at = due_at + 1e10 where seq = 0');
    t.match(await next(), { seq: 0, attempt: 2 });
  });
}
