import { idOf } from '../ids.ts';
import { type JobRow, SELECT_JOB, toJob } from './columns.ts';
import type { JobLoad, JobPage, JobRecord, JobStore, ShardPage, ShardState } from './contract.ts';
import { rowOf, type ShardTable, type Sql } from './dialect.ts';
import { jobNotFound } from './tables.ts';

export async function findJob(
  sql: Sql,
  by: 'id' | 'idempotency_key',
  value: string,
): Promise<{ readonly record: JobRecord; readonly digest: string } | undefined> {
  const row = await rowOf<JobRow>(sql, `${SELECT_JOB} where ${by} = ?`, [value]);
  return row && { record: toJob(row), digest: row.digest };
}

/** @throws ServiceError `job_not_found` */
export async function getJob(sql: Sql, given: string): Promise<JobRecord> {
  const id = idOf(given);
  const found = id === undefined ? undefined : await findJob(sql, 'id', id);
  if (found === undefined) throw jobNotFound(given);
  return found.record;
}

export async function listJobs(
  { em }: ShardTable,
  { state, after, limit }: Parameters<JobStore['list']>[0],
): Promise<JobPage> {
  const where = ['true'];
  const values: unknown[] = [];
  if (state !== undefined) {
    where.push('state = ?');
    values.push(state);
  }
  if (after !== undefined) {
    where.push('created_at <= ? and (created_at < ? or id < ?)');
    values.push(after.created_at, after.created_at, after.id);
  }
  const newest = `${SELECT_JOB} where ${where.join(' and ')} order by created_at desc, id desc limit ?`;
  const rows = await em.fork().execute<JobRow[]>(newest, [...values, limit + 1]);
  return { jobs: rows.slice(0, limit).map(toJob), hasMore: rows.length > limit };
}

interface ShardRow extends Omit<ShardPage['shards'][number], 'range' | 'output' | 'error'> {
  readonly range: string;
  readonly output: string | null;
  readonly error: string | null;
}

export async function listShards(
  { em }: ShardTable,
  given: string,
  { limit, after = -1, state }: Parameters<JobStore['shards']>[1],
): Promise<ShardPage> {
  const id = idOf(given);
  if (id === undefined) return { shards: [], hasMore: false };
  const rows = await em.fork().execute<ShardRow[]>(
    `select seq, kind, state, attempt, failures, worker, range, output, error from bulk_shards
    where job_id = ? and seq > ? ${state === undefined ? '' : 'and state = ?'} order by seq limit ?`,
    [id, after, ...(state === undefined ? [] : [state]), limit + 1],
  );
  const shards = rows.slice(0, limit).map(({ range, output, error, ...row }) => ({
    ...row,
    range: JSON.parse(range),
    output: parsed(output),
    error: parsed(error),
  }));
  return { shards, hasMore: rows.length > limit };
}

export async function readUpload({ em }: ShardTable, id: string): Promise<string | null> {
  const select = 'select upload from bulk_jobs where id = ?';
  return (await rowOf<{ upload: string | null }>(em.fork(), select, [id]))?.upload ?? null;
}

export async function listExpired({ em, dialect }: ShardTable, limit: number): Promise<readonly JobRecord[]> {
  const expired = `${SELECT_JOB} where expires_at <= ${dialect.since} order by expires_at limit ?`;
  return (await em.fork().execute<JobRow[]>(expired, [limit])).map(toJob);
}

export async function readLoad({ em, dialect }: ShardTable): Promise<JobLoad> {
  const rows = await em
    .fork()
    .execute<{ state: ShardState; count: number | string; oldest: number | null }[]>(
      `select state, count(*) as count, ${dialect.since} - min(case state when 'ready' then due_at end) as oldest
    from bulk_shards group by state`,
      [],
    );
  const shards = { ready: 0, running: 0, done: 0, failed: 0, cancelled: 0 };
  for (const { state, count } of rows) shards[state] = Number(count);
  const oldest = rows.find(({ state }) => state === 'ready')?.oldest ?? 0;
  return { shards, oldestReadySeconds: Math.max(0, Number(oldest)) };
}

function parsed(json: string | null) {
  return json === null ? null : JSON.parse(json);
}
