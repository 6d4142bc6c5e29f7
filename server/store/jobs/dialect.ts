import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { JobState, QueueSettings, ShardKind } from './contract.ts';

/** SQL that differs between the two databases. Times are in seconds, by the clock of the database. */
export interface Dialect {
  /** The current time, even if the transaction began earlier and has waited. */
  readonly now: string;
  /** The time at which the transaction began. Constant, so that conditions can use an index. */
  readonly since: string;
  /** SQL for a table `r` with the columns `seq`, `rank` and `range`, made from one JSON array. */
  readonly plannedRows: string;
  /** SQL for a table `r` with the columns `key` and `id`, made from one JSON array. */
  readonly idRows: string;
}

export const POSTGRESQL: Dialect = {
  now: 'extract(epoch from clock_timestamp())::float8',
  since: 'extract(epoch from now())::float8',
  plannedRows: 'json_to_recordset(?::json) r(seq int, rank int, range text)',
  idRows: 'json_to_recordset(?::json) r(key text, id text)',
};

/** SQLite reads the time once a process has become the only writer, so one expression serves for `now` and `since`. */
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

/** A job's row, read after the transaction has locked the row. */
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
 * Changes a job's row, and so locks the row. Must be the first statement of a transaction about a job. The
 * lock keeps other transactions from settling, cancelling or planning the job, whatever the order of their
 * changes. On SQLite, a transaction waits for others only if it begins with a write.
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
