import { idOf } from '../ids.ts';
import type { JobLoad, JobPage, JobRecord, JobState, JobStore, ShardPage, ShardState } from './contract.ts';
import { rowOf, type ShardTable, type Sql } from './dialect.ts';
import { jobNotFound } from './tables.ts';

const NUMBERS = [
  'created_at',
  'expires_at',
  'shards_total',
  'shards_open',
  'shards_done',
  'shards_failed',
  'documents',
  'documents_failed',
  'documents_empty',
  'skipped_no_reader',
  'skipped_binary',
  'skipped_ignored',
  'skipped_unreadable',
  'chunks',
  'embedding_empty',
  'embedding_fallback',
  'embedding_cut',
  'pruned',
  'unpruned',
  'bytes_read',
  'bytes_total',
] as const;
/** What running shards have done so far is part of these. */
const SO_FAR: Partial<Record<(typeof NUMBERS)[number], string>> = {
  documents: 'documents_so_far',
  documents_failed: 'failed_so_far',
  chunks: 'chunks_so_far',
  bytes_read: 'bytes_so_far',
};
const COLUMNS = NUMBERS.map((name) => {
  const running = `bulk_shards.job_id = bulk_jobs.id and bulk_shards.state = 'running'`;
  const sum = `(select coalesce(sum(${SO_FAR[name]}), 0) from bulk_shards where ${running})`;
  return SO_FAR[name] === undefined ? name : `${name} + ${sum} as ${name}`;
});
/** All columns but the upload, which may be long. */
const JOB = `select id, state, digest, spec, error, finished_at, left_out, ${COLUMNS.join(', ')} from bulk_jobs`;

/** PostgreSQL returns large integers as text. */
type JobRow = Readonly<Record<(typeof NUMBERS)[number], number | string>> & {
  readonly id: string;
  readonly state: JobState;
  readonly digest: string;
  readonly spec: string;
  readonly error: string | null;
  readonly finished_at: number | null;
  readonly left_out: string | null;
};

/** @param sql a transaction sees its own changes */
export async function findJob(
  sql: Sql,
  by: 'id' | 'idempotency_key',
  value: string,
): Promise<{ readonly record: JobRecord; readonly digest: string } | undefined> {
  const row = await rowOf<JobRow>(sql, `${JOB} where ${by} = ?`, [value]);
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
  const newest = `${JOB} where ${where.join(' and ')} order by created_at desc, id desc limit ?`;
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
  const expired = `${JOB} where expires_at <= ${dialect.since} order by expires_at limit ?`;
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

function toJob({ id, state, spec, error, finished_at, left_out, digest: _, ...row }: JobRow): JobRecord {
  const numbers = Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, Number(value)]),
  ) as Readonly<Record<(typeof NUMBERS)[number], number>>;
  const { documents, documents_failed: failed, shards_total: total, shards_open: open } = numbers;
  const { chunks, embedding_empty, embedding_fallback, embedding_cut, pruned, unpruned } = numbers;
  return {
    id,
    spec: JSON.parse(spec),
    state,
    error: parsed(error),
    shards: { total, open, done: numbers.shards_done, failed: numbers.shards_failed },
    documents: { done: documents - failed, failed },
    skipped: {
      no_reader: numbers.skipped_no_reader,
      binary: numbers.skipped_binary,
      ignored: numbers.skipped_ignored,
      unreadable: numbers.skipped_unreadable,
      empty: numbers.documents_empty,
    },
    left_out: parsed(left_out) ?? {},
    ...{ chunks, embedding_empty, embedding_fallback, embedding_cut, pruned, unpruned },
    bytes: { read: numbers.bytes_read, total: numbers.bytes_total },
    ...{ created_at: numbers.created_at, finished_at, expires_at: numbers.expires_at },
  };
}

function parsed(json: string | null) {
  return json === null ? null : JSON.parse(json);
}
