import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { createDatabase } from '../../../../server/store/create-database.ts';
import type { Claim } from '../../../../server/store/jobs/contract.ts';
import { createJobStore } from '../../../../server/store/jobs/job-store.ts';
import { quietLog } from '../../../../server/testing/collaborators.ts';
import { JOB, NOTHING, type OpenJobs, onEveryQueue, RESULT, shardsOf } from '../../../support/job-stores.ts';
import { until } from '../../../support/process.ts';

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
  const job = (key: string, state: string) => `${key}, ${state}, 'd', null, false, null, 9e9, i, i, 9e9,
    1, 0, 0, 0, 1, 0, 1, 1, 1, '{}'`;
  await sql(`insert into bulk_jobs (id, state, digest, idempotency_key, notifies, max_errors, keep_seconds,
    created_at, finished_at, expires_at, shards_total, shards_open, shards_done, shards_failed, documents, documents_failed,
    chunks, bytes_read, bytes_total, spec) select ${job(id, `'done'`)} from ${numbers(20_000)}`);
  const one = isSqlite ? `'${ONE}'` : `'${ONE}'::uuid`;
  await sql(`insert into bulk_jobs (id, state, digest, idempotency_key, notifies, max_errors, keep_seconds,
    created_at, finished_at, expires_at, shards_total, shards_open, shards_done, shards_failed, documents, documents_failed,
    chunks, bytes_read, bytes_total, spec) select ${job(one, `'running'`)} from ${numbers(1)}`);
  const shard = (key: string, seq: string, state: string) =>
    `select ${key}, ${seq}, 'chunk', '${state}', i, 1, 0, 0, '{}' from`;
  const shards = 'insert into bulk_shards (job_id, seq, kind, state, rank, attempt, failures, due_at, range)';
  await sql(`${shards} ${shard(id, '0', 'done')} ${numbers(20_000)}`);
  await sql(`${shards} ${shard(one, 'i', 'ready')} ${numbers(30_000)}`);
  await sql('analyze');
}

/** The statements about jobs that a store sends while it works. */
async function record(t: Test, jobs: OpenJobs): Promise<string[]> {
  const { queue, ...place } = jobs.settings;
  const database = createDatabase(place, quietLog);
  const store = createJobStore(database, queue, quietLog);
  t.teardown(async () => {
    await store.close();
    await database.close();
  });
  const { orm } = await database.open();
  const [connection, platform] = [orm.em.getConnection(), orm.em.getPlatform()];
  const execute = connection.execute.bind(connection);
  const statements: string[] = [];
  connection.execute = ((sql: unknown, params: unknown[] = [], ...rest: never[]) => {
    if (typeof sql === 'string') statements.push(platform.formatQuery(sql, params));
    return execute(sql as string, params as never, ...rest);
  }) as typeof connection.execute;

  const next = () => until(() => store.claim('w'));
  const { job } = await store.create({ ...JOB, idempotencyKey: randomUUID() });
  const plan = await next();
  await store.addShards(plan, 0, shardsOf(3));
  await store.commit(plan, NOTHING);
  await store.giveBack(await next());
  const claim: Claim = await next();
  await store.renew(claim);
  await store.commit(claim, RESULT);
  await store.fail(await next(), { code: 'internal', values: {} }, true);
  await store.get(job.id);
  const { jobs: found } = await store.list({ limit: 10 });
  await store.list({ limit: 10, state: 'done', after: found[5] });
  await store.shards(ONE, { limit: 100, after: 20_000 });
  await store.shards(ONE, { limit: 100, after: 20_000, state: 'failed' });
  await store.upload(job.id);
  await store.cancel(job.id);
  await store.retry(job.id);
  await store.cancel(job.id);
  await store.expired(10);
  await store.remove(job.id);
  return statements;
}

await onEveryQueue(t, async (t, fresh) => {
  await t.test('every statement uses an index, however many jobs and shards there are', async (t) => {
    const jobs = await fresh(t, { leaseSeconds: 6 });
    await fill(jobs);
    const statements = await record(t, jobs);
    const isSqlite = jobs.settings.databaseUrl === '';
    const about = statements.filter((sql) => /\b(from|update|into) ["`]?bulk_/.test(sql));
    t.ok(about.length > 40, `${about.length} statements`);
    for (const statement of about.filter((sql) => !/^insert/.test(sql))) {
      const rows = await jobs.sql<object>(
        `explain ${isSqlite ? 'query plan ' : ''}${statement.replaceAll('?', '\\?')}`,
      );
      const plan = JSON.stringify(rows);
      const scans = isSqlite ? /SCAN (?!CONSTANT)\w+"|TEMP B-TREE/ : /Seq Scan|"Sort| Sort /;
      if (scans.test(plan)) t.fail(statement, { plan });
    }
  });
});
