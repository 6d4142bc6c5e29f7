import { PROGRESS } from './columns.ts';
import type { Claim, QueueSettings, ShardProgress } from './contract.ts';
import { rowOf, type ShardTable, type Sql } from './dialect.ts';

interface TakenRow extends Omit<Claim, 'jobId' | 'range' | 'spec'> {
  readonly job_id: string;
  readonly range: string;
  readonly spec: string;
}

const PROGRESS_COLUMNS = Object.keys(PROGRESS) as (keyof typeof PROGRESS)[];

export const IS_OPEN = `state in ('ready', 'running')`;

export const IS_OWNED = `job_id = ? and seq = ? and attempt = ? and state = 'running'`;

export const ownerValues = ({ jobId, seq, attempt }: Claim): unknown[] => [jobId, seq, attempt];

export const pauseOf = ({ pauseSeconds }: QueueSettings, failures: number): number =>
  pauseSeconds * 2 ** failures;

/**
 * SQL condition: an open shard may run because its time has come, or its lease has expired. A `due_at` too
 * far in the future also counts as due, because the clock must have been set back.
 */
export function dueCondition({ dialect, settings }: Pick<ShardTable, 'dialect' | 'settings'>): string {
  const furthest = 2 * Math.max(settings.leaseSeconds, pauseOf(settings, settings.maxFailures));
  return `(due_at <= ${dialect.since} or due_at > ${dialect.since} + ${furthest})`;
}

/**
 * Gives a worker an open shard that may run. The same statement serves new shards, retries, and shards of
 * lost workers.
 *
 * @param which SQL condition that selects at most one shard
 */
export async function takeShard(
  { em, dialect, settings }: ShardTable,
  worker: string,
  which: string,
  values: unknown[],
): Promise<Claim | undefined> {
  const row = await rowOf<TakenRow>(
    em.fork(),
    `update bulk_shards set state = 'running', attempt = attempt + 1, worker = ?,
      due_at = ${dialect.now} + ${settings.leaseSeconds},
      failures = failures + case state when 'running' then 1 else 0 end,
      ${PROGRESS_COLUMNS.map((column) => `${column} = 0`).join(', ')}
    where ${which}
    returning job_id, seq, kind, range, attempt, failures,
      (select spec from bulk_jobs where bulk_jobs.id = bulk_shards.job_id) as spec`,
    [worker, ...values],
  );
  if (row === undefined) return undefined;
  const { job_id: jobId, range, spec, ...claim } = row;
  return { jobId, ...claim, range: JSON.parse(range), spec: JSON.parse(spec) };
}

export async function renewLease(
  { em, dialect, settings }: ShardTable,
  claim: Claim,
  progress?: ShardProgress,
  sql: Sql = em.fork(),
): Promise<boolean> {
  const noted = progress === undefined ? [] : PROGRESS_COLUMNS;
  const set = [
    `due_at = ${dialect.now} + ${settings.leaseSeconds}`,
    ...noted.map((column) => `${column} = ?`),
  ];
  const row = await rowOf(sql, `update bulk_shards set ${set.join(', ')} where ${IS_OWNED} returning seq`, [
    ...noted.map((column) => progress?.[PROGRESS[column]]),
    ...ownerValues(claim),
  ]);
  return row !== undefined;
}

/** Takes the first shard that may run. Without a queue, because SQLite lets one process write at a time. */
export function takeFirst(table: ShardTable, worker: string): Promise<Claim | undefined> {
  const first = `(job_id, seq) = (
    select job_id, seq from bulk_shards where ${IS_OPEN} and ${dueCondition(table)}
    order by rank, job_id, seq limit 1)`;
  return takeShard(table, worker, first, []);
}
