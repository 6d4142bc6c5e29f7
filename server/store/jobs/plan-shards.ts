import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../../../core/errors.ts';
import { transact } from '../transact.ts';
import type { Claim, PlannedShard } from './contract.ts';
import { type Dialect, lockJob, rowOf, type Sql, type Transaction } from './dialect.ts';
import { type JobTables, lowestRank } from './tables.ts';
import { renewLease } from './take.ts';

/** See `JobStore.addShards`. */
export async function addShards(
  tables: JobTables,
  plan: Claim,
  from: number,
  shards: readonly PlannedShard[],
): Promise<boolean> {
  const isMine = await transact(tables.em, (tx) => addInTransaction(tables, tx, plan, from, shards));
  if (isMine) await tables.tickets?.renewed(plan);
  // Between two batches, other work can run.
  await nextTurn();
  return isMine;
}

async function addInTransaction(
  tables: JobTables,
  tx: Transaction,
  plan: Claim,
  from: number,
  shards: readonly PlannedShard[],
): Promise<boolean> {
  const { dialect, tickets } = tables;
  const { jobId } = plan;
  if ((await lockJob(tx, jobId))?.state !== 'planning') return false;
  if (!(await renewLease(tables, plan, tx))) return false;

  const rank = await nextRank(tx, jobId);
  const rows = shards.map(({ range }, index) => ({
    seq: from + index,
    rank: rank + index,
    range: JSON.stringify(range),
  }));
  const added = await tx.execute<{ seq: number; rank: number }[]>(
    `insert into bulk_shards (job_id, seq, kind, state, rank, attempt, failures, due_at, range)
    select ?, r.seq, 'chunk', 'ready', r.rank, 0, 0, ${dialect.now}, r.range from ${dialect.plannedRows}
    where true on conflict (job_id, seq) do nothing returning seq, rank`,
    [jobId, JSON.stringify(rows)],
  );
  if (added.length < rows.length) await expectSame(dialect, tx, jobId, rows);
  const total = added.reduce((sum, { seq }) => sum + (shards[seq - from]?.bytes ?? 0), 0);
  const counts =
    'shards_total = shards_total + ?, shards_open = shards_open + ?, bytes_total = bytes_total + ?';
  await lockJob(tx, jobId, counts, [added.length, added.length, total]);
  await tickets?.send(
    tx,
    jobId,
    added.map((one) => ({ ...one, kind: 'chunk' })),
  );
  return true;
}

/** @throws ServiceError `source_changed` if an earlier attempt at the plan produced other shards */
async function expectSame(
  { plannedRows }: Dialect,
  sql: Sql,
  jobId: string,
  rows: readonly object[],
): Promise<void> {
  const other = await rowOf(
    sql,
    `select s.seq from ${plannedRows} join bulk_shards s on s.job_id = ? and s.seq = r.seq
    where s.range <> r.range limit 1`,
    [JSON.stringify(rows), jobId],
  );
  if (other !== undefined) throw new ServiceError('source_changed', { source: 'The source' });
}

/**
 * Start-time fair queueing: a job begins at the rank where the others are, so that a small one does not wait for a
 * large one, and counts up from there.
 */
async function nextRank(sql: Sql, jobId: string): Promise<number> {
  const last = await rowOf<{ rank: number }>(
    sql,
    'select rank from bulk_shards where job_id = ? and seq >= 0 order by seq desc limit 1',
    [jobId],
  );
  return last === undefined ? lowestRank(sql) : last.rank + 1;
}
