import type { Test } from 'tap';
import { type Claim, NO_DOCUMENTS } from '../../../../server/store/jobs/contract.ts';
import { JOB, type OpenFresh, RESULT, resultWith, shardsOf } from '../../../support/job-stores.ts';
import { failure } from '../../../support/stores.ts';
import { until } from '../../../support/until.ts';

export const FAILURE = { code: 'source_changed', values: { source: 'a.jsonl' } } as const;

/** The states of jobs and shards, for any database and way of handing out shards. */
export async function stateCases(t: Test, fresh: OpenFresh): Promise<void> {
  await t.test('a job is planned, runs its shards and finishes', async (t) => {
    const { store, drain } = await fresh(t);
    const spec = { z: ['\0', '\ud800', '?', '??'], a: 1 };
    const { job, isNew } = await store.create({ ...JOB, spec });
    t.ok(isNew);
    t.match(job, { state: 'planning', shards: { total: 0, open: 0, failed: 0 }, finished_at: null });
    t.ok(Math.abs(job.created_at - Date.now() / 1000) < 60, 'seconds since 1970');
    t.equal(Math.round(job.expires_at - job.created_at), 1000);
    const claim = (await store.claim('a')) as Claim;
    t.match(claim, { jobId: job.id, kind: 'plan', attempt: 1, failures: 0, range: {} });
    t.same(claim.spec, spec, 'what is asked for comes back exactly');
    t.equal(await store.claim('b'), undefined, 'one worker has it');
    t.ok(await store.addShards(claim, 0, shardsOf(2)));
    t.ok(await store.addShards(claim, 0, shardsOf(3)), 'what is there already stays');
    const planned = {
      state: 'planning',
      shards: { total: 3, open: 3 },
      counts: { bytes: 0 },
      bytes_total: 30,
    };
    t.match(await store.get(job.id), planned);
    t.ok(await store.commit(claim, NO_DOCUMENTS));
    t.ok(await store.commit(claim, NO_DOCUMENTS), 'a commit whose answer was lost counts');
    t.equal((await store.get(job.id.toUpperCase())).state, 'running');
    const first = (await store.claim('a')) as Claim;
    t.match(first, { kind: 'chunk', seq: 0, range: { part: 0 }, spec: { a: 1 } });
    t.ok(await store.renew(first));
    const result = resultWith({ failed: 1, left_out: { note: 2, constructor: 1 } });
    t.ok(await store.commit(first, result));
    t.ok(await store.commit(first, result));
    t.notOk(await store.renew(first), 'it is done');
    const { counts } = await store.get(job.id);
    t.match(counts, { documents: 2, failed: 1 }, 'and counted once');
    t.same(counts.left_out, { note: 2, constructor: 1 });
    const second = (await store.claim('a')) as Claim;
    t.ok(await store.commit(second, resultWith({ left_out: { note: 3, tag: 1 } })));
    t.same(await drain(), ['chunk 2', 'finish -1']);
    const done = await store.get(job.id);
    t.match(done, { state: 'done', error: null, shards: { total: 3, open: 0, failed: 0 } });
    t.same(done.counts.left_out, { note: 5, constructor: 1, tag: 1 }, 'names are added up');
    t.match(done, { counts: { documents: 6, failed: 1, chunks: 12, bytes: 30 }, bytes_total: 30 });
    t.ok((done.finished_at as number) >= job.created_at);
    const { shards, hasMore } = await store.shards(job.id, { limit: 2 });
    t.ok(hasMore);
    const shard = { seq: 0, kind: 'chunk', state: 'done', attempt: 1, output: RESULT.output, worker: null };
    t.match(shards, [shard, { seq: 1 }]);
    t.match(await store.shards(job.id, { limit: 2, after: 1 }), { shards: [{ seq: 2 }], hasMore: false });
    t.equal((await store.shards(job.id, { limit: 9, state: 'done' })).shards.length, 3);
    t.equal((await store.shards(job.id, { limit: 9, state: 'failed' })).shards.length, 0);
  });

  await t.test('what a worker has done of a shard so far is in the job, and counts once', async (t) => {
    const { store, lose, next, plan } = await fresh(t);
    const id = await plan(2);
    const [first, second] = [await next(), await next()];
    const before = await store.get(id);
    t.match(before.counts, { documents: 0, failed: 0, chunks: 0, bytes: 0 });
    const half = { documents: 5, failed: 2, chunks: 7, bytes: 4 };
    t.ok(await store.renew(first, half));
    t.match(await store.get(id), { counts: half, bytes_total: 20 });
    t.ok(await store.renew(first), 'a renewal without progress leaves it');
    t.ok(await store.renew(second, half));
    const twice = { documents: 10, failed: 4, chunks: 14, bytes: 8 };
    t.match(await store.get(id), { counts: twice });
    t.match((await store.list({ limit: 1 })).jobs, [{ counts: twice }]);
    await lose(second);
    const again = await next();
    t.match(await store.get(id), { counts: half }, 'another begins anew');
    t.notOk(await store.renew(second, half));
    t.ok(await store.renew(again, half));
    t.ok(await store.commit(first, RESULT));
    const { documents, failed, chunks, bytes } = RESULT.counts;
    t.match(await store.get(id), {
      counts: { documents: documents + 5, failed: failed + 2, chunks: chunks + 7, bytes: bytes + 4 },
    });
    await store.giveBack(again);
    t.match(await store.get(id), { counts: RESULT.counts });
    t.ok(await store.commit(await next(), RESULT));
    t.match(await store.get(id), { counts: { chunks: 2 * chunks, bytes: 20 }, bytes_total: 20 });
  });

  await t.test('a worker whose lease has ended can change nothing', async (t) => {
    const { store, lose, next, drain } = await fresh(t);
    const { job } = await store.create(JOB);
    const stale = await next();
    await lose(stale);
    const taken = await next();
    t.match(taken, { kind: 'plan', attempt: 2, failures: 1 });
    t.notOk(await store.addShards(stale, 0, shardsOf(5)), 'it plans nothing');
    t.equal((await store.get(job.id)).shards.total, 0);
    t.notOk(await store.renew(stale));
    t.notOk(await store.commit(stale, NO_DOCUMENTS));
    t.notOk(await store.fail(stale, FAILURE));
    await store.giveBack(stale);
    t.equal(await store.claim('w'), undefined, 'giving back what is lost gives nothing back');
    t.ok(await store.addShards(taken, 0, shardsOf(1)));
    t.ok(await store.commit(taken, NO_DOCUMENTS));
    const chunk = await next();
    await lose(chunk);
    const again = await next();
    t.notOk(await store.commit(chunk, resultWith({ left_out: { note: 1 } })));
    t.notOk(await store.fail(chunk, FAILURE, true));
    t.match(await store.get(job.id), {
      state: 'running',
      shards: { open: 1, failed: 0 },
      counts: { chunks: 0 },
    });
    t.ok(await store.commit(again, RESULT));
    t.notOk(await store.commit(chunk, RESULT), 'also once it is done');
    t.same(await drain(), ['finish -1']);
    t.match(await store.get(job.id), { state: 'done', counts: { chunks: 4 } });
    t.same((await store.get(job.id)).counts.left_out, {}, 'what a lost worker counted is not');
  });

  await t.test('a shard that fails is tried again, then for good; its job does the others', async (t) => {
    const { store, next, plan, drain } = await fresh(t, { pauseSeconds: 0.5 });
    const id = await plan(2);
    t.ok(await store.fail(await next(), FAILURE));
    const other = (await store.claim('w')) as Claim;
    t.equal(other.seq, 1, 'meanwhile others run');
    t.equal(await store.claim('w'), undefined, 'the pause is not over');
    const waiting = { state: 'ready', failures: 1, error: FAILURE };
    t.match(await store.shards(id, { limit: 1 }), { shards: [waiting] });
    const second = await next();
    t.match(second, { seq: 0, attempt: 2, failures: 1 });
    t.ok(await store.fail(second, FAILURE));
    t.ok(await store.fail(await next(), FAILURE), 'the last try');
    t.match(await store.get(id), { state: 'running', shards: { open: 1, failed: 1 } });
    const { shards } = await store.shards(id, { limit: 9, state: 'failed' });
    t.match(shards, [{ seq: 0, failures: 3, error: FAILURE }]);
    t.ok(await store.commit(other, RESULT));
    t.same(await drain(), ['finish -1']);
    t.match(await store.get(id), {
      state: 'failed',
      error: FAILURE,
      counts: { chunks: 4 },
      shards: { failed: 1 },
    });
  });

  await t.test('a plan or a manifest that fails for good fails the job', async (t) => {
    const { store, next, plan, drain } = await fresh(t);
    const { job } = await store.create(JOB);
    const claim = await next();
    t.ok(await store.addShards(claim, 0, shardsOf(2)));
    t.ok(await store.fail(claim, FAILURE, true));
    t.match(await store.get(job.id), { state: 'failed', error: FAILURE, shards: { total: 2, open: 0 } });
    t.equal(await store.claim('w'), undefined);
    const id = await plan(1);
    await store.commit(await next(), RESULT);
    t.equal((await store.get(id)).state, 'finishing');
    t.ok(await store.fail(await next(), FAILURE, true));
    t.match(await store.get(id), { state: 'failed', error: FAILURE, shards: { failed: 0 } });
    t.equal((await store.retry(id)).state, 'finishing', 'and that alone is done again');
    t.same(await drain(), ['finish -1']);
    t.equal((await store.get(id)).state, 'done');
  });

  await t.test('a shard that takes its workers down fails, and the others go on', async (t) => {
    const { store, lose, next, plan, drain } = await fresh(t);
    const id = await plan(2);
    let poison = await next();
    const other = await next();
    for (let lost = 1; lost < 3; lost++) {
      await lose(poison);
      poison = await next();
      t.match(poison, { seq: 0, failures: lost });
    }
    await lose(poison);
    await until(
      async () => (await store.claim('w')) === undefined && (await store.get(id)).shards.failed === 1,
    );
    const failed = { state: 'failed', failures: 3, error: { code: 'worker_lost' } };
    t.match(await store.shards(id, { limit: 1 }), { shards: [failed] });
    t.ok(await store.commit(other, RESULT));
    t.same(await drain(), ['finish -1']);
    t.match(await store.get(id), { state: 'failed', error: { code: 'worker_lost' } });
  });

  await t.test('what is given back runs at once elsewhere, and is no failure', async (t) => {
    const { store, plan } = await fresh(t, { pauseSeconds: 100 });
    await plan(1);
    for (let round = 1; round < 6; round++) {
      const claim = (await store.claim('w')) as Claim;
      t.match(claim, { seq: 0, attempt: round, failures: 0 });
      await store.giveBack(claim);
    }
  });

  await t.test('a plan that is made again adds what is missing, if it is the same', async (t) => {
    const { store, lose, next } = await fresh(t);
    const { job } = await store.create(JOB);
    const first = await next();
    t.ok(await store.addShards(first, 0, shardsOf(2)));
    await lose(first);
    // A shard that is there already may be handed out before the plan is.
    const claims = [await next(), await next(), await next()];
    const again = claims.find(({ kind }) => kind === 'plan') as Claim;
    t.notOk(await store.addShards(first, 2, shardsOf(1)), 'the one who was lost adds nothing');
    const others = [...shardsOf(1), { range: { part: 7 }, bytes: 10 }];
    t.equal(await failure(store.addShards(again, 0, others)), 'source_changed');
    t.ok(await store.addShards(again, 0, shardsOf(4)));
    t.ok(await store.commit(again, NO_DOCUMENTS));
    const planned = { state: 'running', shards: { total: 4, open: 4 }, bytes_total: 40 };
    t.match(await store.get(job.id), planned);
  });

  await t.test('two workers that plan the same plan it once', async (t) => {
    const { store, lose, next } = await fresh(t);
    const { job } = await store.create(JOB);
    const first = await next();
    await lose(first);
    const second = await next();
    const parts = shardsOf(1200);
    const added = await Promise.all([first, second].map((claim) => store.addShards(claim, 0, parts)));
    t.same(added, [false, true]);
    t.ok(await store.addShards(second, 0, parts.slice(0, 700)), 'what is planned stays');
    t.ok(await store.commit(second, NO_DOCUMENTS));
    t.match(await store.get(job.id), { shards: { total: 1200, open: 1200 }, bytes_total: 12_000 });
    t.equal((await store.load()).shards.ready, 1200);
  });
}
