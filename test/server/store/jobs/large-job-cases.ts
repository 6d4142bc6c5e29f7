import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Test } from 'tap';
import type { Claim } from '../../../../server/store/jobs/contract.ts';
import { type OpenFresh, type OpenJobs, RESULT } from '../../../support/job-stores.ts';
import { recordStatements } from '../../../support/stores.ts';

const ONE = '00000000-0000-4000-8000-000000000000';

/** 20,000 jobs that are over, with a shard each, and one of 30,000 shards of which all wait. */
async function fill({ sql, settings }: OpenJobs): Promise<void> {
  const isSqlite = settings.databaseUrl === '';
  const numbers = (count: number) =>
    isSqlite
      ? `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n) n`
      : `generate_series(1, ${count}) as n(i)`;
  const id = isSqlite
    ? `printf('00000000-0000-4000-8000-%012d', i)`
    : `('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid`;
  const job = (key: string, state: string, count: number) =>
    sql(`insert into bulk_jobs (id, state, digest, idempotency_key, notifies, max_errors, keep_seconds,
      created_at, finished_at, expires_at, shards_total, shards_open, shards_done, shards_failed, documents,
      documents_failed, chunks, bytes_read, bytes_total, spec) select ${key}, '${state}', 'd', null, false, null,
      9e9, i, i, 9e9, 1, 0, 0, 0, 1, 0, 1, 1, 1, '{}' from ${numbers(count)}`);
  const one = isSqlite ? `'${ONE}'` : `'${ONE}'::uuid`;
  await job(id, 'done', 20_000);
  await job(one, 'running', 1);
  const shard = (key: string, seq: string, state: string, count: number) =>
    sql(`insert into bulk_shards (job_id, seq, kind, state, rank, attempt, failures, due_at, range)
      select ${key}, ${seq}, 'chunk', '${state}', i, 1, 0, 0, '{}' from ${numbers(count)}`);
  await shard(id, '0', 'done', 20_000);
  await shard(one, 'i', 'ready', 30_000);
  await sql('analyze');
}

/** The statements about jobs that a store sends while it works. */
async function record({ database, store, next, plan }: OpenJobs): Promise<string[]> {
  const statements = recordStatements((await database.open()).orm);
  const id = await plan(3, { idempotencyKey: randomUUID() });
  await store.giveBack(await next());
  const claim = await next();
  await store.renew(claim);
  await store.commit(claim, RESULT);
  await store.fail(await next(), { code: 'internal', values: {} }, true);
  await store.get(id);
  const { jobs: found } = await store.list({ limit: 10 });
  await store.list({ limit: 10, state: 'done', after: found[5] });
  await store.shards(ONE, { limit: 100, after: 20_000 });
  await store.shards(ONE, { limit: 100, after: 20_000, state: 'failed' });
  await store.upload(id);
  await store.cancel(id);
  await store.retry(id);
  await store.cancel(id);
  await store.expired(10);
  await store.remove(id);
  return statements;
}

/** The documents of an archive, one shard each: more than are written at once. */
const MANY = 10_000;

/** Runs work, and counts the turns of the event loop that others had meanwhile. */
async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  const watch = async () => {
    let turns = 0;
    for (; !isOver; turns++) await nextTurn();
    return turns;
  };
  const watching = watch();
  await work().finally(() => {
    isOver = true;
  });
  return watching;
}

/** What keeps large jobs from being in the way, for any database and way of handing out shards. */
export async function largeJobCases(t: Test, fresh: OpenFresh): Promise<void> {
  await t.test('every statement uses an index, however many jobs and shards there are', async (t) => {
    const jobs = await fresh(t, { leaseSeconds: 6 });
    t.equal(await jobs.store.claim('w'), undefined, 'what is read once, at the start, is behind it');
    await fill(jobs);
    const statements = await record(jobs);
    const isSqlite = jobs.settings.databaseUrl === '';
    const explain = isSqlite ? 'explain query plan' : 'explain';
    const scans = isSqlite ? /SCAN (?!CONSTANT)\w+"|TEMP B-TREE/ : /Seq Scan|"Sort| Sort /;
    const about = statements.filter((sql) => /\b(from|update|into) ["`]?bulk_/.test(sql));
    t.ok(about.length > 40, `${about.length} statements`);
    for (const statement of about.filter((sql) => !/^insert/.test(sql))) {
      const steps = JSON.stringify(await jobs.sql(`${explain} ${statement.replaceAll('?', '\\?')}`));
      if (scans.test(steps)) t.fail(statement, { steps });
    }
  });

  await t.test('a large job leaves others their turn', async (t) => {
    const { store, plan } = await fresh(t);
    let id = '';
    const check = async (what: string, work: () => Promise<unknown>) => {
      const turns = await countTurns(work);
      t.ok(turns >= MANY / 1000, `${what}: ${turns} turns`);
    };
    await check('planned', async () => {
      id = await plan(MANY);
    });
    t.match(await store.get(id), { shards: { total: MANY, open: MANY } });
    const { shards, hasMore } = await store.shards(id, { limit: 100, after: MANY - 150 });
    t.same([shards.length, shards[0]?.seq, hasMore], [100, MANY - 149, true]);
    t.ok(await store.commit((await store.claim('w')) as Claim, RESULT));
    await check('cancelled', () => store.cancel(id));
    t.equal((await store.load()).shards.cancelled, MANY - 1);
    await check('opened again', () => store.retry(id));
    t.equal((await store.load()).shards.ready, MANY - 1);
    await store.cancel(id);
    await check('removed', () => store.remove(id));
    t.equal((await store.load()).shards.done, 0);
  });
}
