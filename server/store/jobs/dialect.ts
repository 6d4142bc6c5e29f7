import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { JobState, QueueSettings, ShardKind } from './contract.ts';

/**
 * Differences between the two databases; all other SQL is the same. Times are seconds by the clock of the database.
 */
export interface Dialect {
  /** The current time, even in a transaction that has waited. */
  readonly now: string;
  /** The start of the transaction. It is constant, so that conditions can use an index. */
  readonly since: string;
  /** A table `r` of `seq`, `rank` and `range`, from one JSON array. */
  readonly plannedRows: string;
  /** A table `r` of `key` and `id`, from one JSON array. */
  readonly idRows: string;
}

export const POSTGRESQL: Dialect = {
  now: 'extract(epoch from clock_timestamp())::float8',
  since: 'extract(epoch from now())::float8',
  plannedRows: 'json_to_recordset(?::json) r(seq int, rank int, range text)',
  idRows: 'json_to_recordset(?::json) r(key text, id text)',
};

/** SQLite lets one process write at a time. The time is read once the process writes. */
export const SQLITE: Dialect = {
  now: `unixepoch('subsec')`,
  since: `unixepoch('subsec')`,
  plannedRows: `(select value ->> 'seq' seq, value ->> 'rank' rank, value ->> 'range' range from json_each(?)) r`,
  idRows: `(select value ->> 'key' key, value ->> 'id' id from json_each(?)) r`,
};

export interface ShardTable {
  readonly em: SqlEntityManager;
  readonly dialect: Dialect;
  readonly settings: QueueSettings;
}

export type Transaction = SqlEntityManager;

export type Sql = Pick<SqlEntityManager, 'execute'>;

export async function rowOf<Row extends object>(
  sql: Sql,
  statement: string,
  values: unknown[],
): Promise<Row | undefined> {
  return (await sql.execute<Row[]>(statement, values))[0];
}

export interface OpenShard {
  readonly seq: number;
  readonly kind: ShardKind;
  readonly rank: number;
}

const OVER: readonly JobState[] = ['done', 'failed', 'cancelled'];

export const isOver = (state: JobState): boolean => OVER.includes(state);

/** A job's row after the transaction has locked it. */
export interface LockedJob {
  readonly state: JobState;
  readonly shards_open: number;
  readonly shards_failed: number;
  readonly documents: number | string;
  readonly documents_failed: number | string;
  readonly max_errors: number | null;
  readonly notifies: boolean | number;
  readonly left_out: string | null;
}

/**
 * Changes a job's row, and so locks it. It is the first statement of every transaction about a job. The lock keeps
 * others from settling, cancelling or planning the job, in whatever order they change its shards. On SQLite, a
 * transaction waits for others only if it begins with a write.
 */
export function lockJob(
  tx: Sql,
  jobId: string,
  set = 'state = state',
  values: readonly unknown[] = [],
): Promise<LockedJob | undefined> {
  const columns =
    'state, shards_open, shards_failed, documents, documents_failed, max_errors, notifies, left_out';
  return rowOf<LockedJob>(tx, `update bulk_jobs set ${set} where id = ? returning ${columns}`, [
    ...values,
    jobId,
  ]);
}
