import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../../../core/errors.ts';
import type { Failure, ShardKind } from './contract.ts';
import {
  type LockedJob,
  lockJob,
  type OpenShard,
  rowOf,
  type ShardTable,
  type Sql,
  type Transaction,
} from './dialect.ts';
import type { PgBossTickets } from './pg-boss-tickets.ts';
import { IS_OPEN } from './take.ts';

export interface JobTables extends ShardTable {
  /** Set only on PostgreSQL. On SQLite, workers take shards directly from the table. */
  readonly tickets: PgBossTickets | undefined;
}

/** Fixed `seq` of shards that are not `chunk` shards. The `seq` of `chunk` shards counts from 0. */
export const SEQ: Readonly<Record<Exclude<ShardKind, 'chunk'>, number>> = {
  finish: -1,
  plan: -2,
  notify: -3,
};

/** Maximum shards per statement. SQLite blocks the event loop during a statement, but not between two. */
export const BATCH = 500;

export async function openShard(
  { dialect, tickets }: JobTables,
  tx: Transaction,
  jobId: string,
  kind: keyof typeof SEQ,
): Promise<void> {
  await tx.execute(
    `insert into bulk_shards (job_id, seq, kind, state, rank, attempt, failures, due_at, range)
    values (?, ?, ?, 'ready', 0, 0, 0, ${dialect.now}, '{}')
    on conflict (job_id, seq) do update set state = 'ready', attempt = bulk_shards.attempt + 1, failures = 0,
      due_at = excluded.due_at, worker = null, error = null, output = null`,
    [jobId, SEQ[kind], kind],
  );
  await tickets?.send(tx, jobId, [{ seq: SEQ[kind], kind, rank: 0 }]);
}

export async function endJob(
  tables: JobTables,
  tx: Transaction,
  jobId: string,
  end: {
    readonly state: 'done' | 'failed' | 'cancelled';
    readonly error: Failure | null;
    readonly job: LockedJob;
  },
): Promise<void> {
  const { now } = tables.dialect;
  const error = end.error === null ? null : JSON.stringify(end.error);
  const times = `finished_at = ${now}, expires_at = ${now} + keep_seconds`;
  await lockJob(tx, jobId, `state = ?, error = ?, shards_open = 0, ${times}`, [end.state, error]);
  const close = `update bulk_shards set state = 'cancelled', worker = null`;
  if (end.state !== 'done')
    for await (const _ of changeShards(tx, jobId, close, `${IS_OPEN} and kind <> 'notify'`));
  if (end.job.notifies) await openShard(tables, tx, jobId, 'notify');
}

/** Opens the shard that writes the manifest. If the process dies, another process can run the shard. */
export async function openFinish(tables: JobTables, tx: Transaction, jobId: string): Promise<void> {
  await lockJob(tx, jobId, `state = 'finishing'`);
  await openShard(tables, tx, jobId, 'finish');
}

/**
 * Changes shards of a job in batches, and yields the changed shards.
 *
 * @param change the SQL statement up to its condition
 * @param which the SQL condition
 */
export async function* changeShards(
  tx: Sql,
  jobId: string,
  change: string,
  which: string,
): AsyncGenerator<readonly OpenShard[]> {
  for (let after = Math.min(...Object.values(SEQ)) - 1; ; await nextTurn()) {
    const rows = await tx.execute<OpenShard[]>(
      `${change} where job_id = ? and seq in (
        select seq from bulk_shards where job_id = ? and seq > ? and ${which} order by seq limit ${BATCH})
      returning seq, kind, rank`,
      [jobId, jobId, after],
    );
    yield rows;
    if (rows.length < BATCH) return;
    after = Math.max(...rows.map(({ seq }) => seq));
  }
}

/** The lowest rank of open `chunk` shards in all jobs. New jobs begin there, so that jobs take turns. */
export async function lowestRank(sql: Sql): Promise<number> {
  const statement = `select min(rank) as lowest from bulk_shards where ${IS_OPEN} and rank > 0`;
  return (await rowOf<{ lowest: number | null }>(sql, statement, []))?.lowest ?? 1;
}

export function jobNotFound(id: string): ServiceError {
  return new ServiceError('job_not_found', { id: JSON.stringify(id.slice(0, 100)) });
}
