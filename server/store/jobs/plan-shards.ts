import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../../../core/errors.ts';
import { transact } from '../transact.ts';
import type { Claim, PlannedShard } from './contract.ts';
import { type Dialect, lockJob, rowOf, type Sql, type Transaction } from './dialect.ts';
import { BATCH, type JobTables, lowestRank } from './tables.ts';
import { renewLease } from './take.ts';

interface PlannedRow {
  readonly seq: number;
  readonly range: string;
  readonly bytes: number;
}

/** Maximum characters of the JSON of ranges per statement, because a range may list many files. */
const MAX_CHARACTERS = 500_000;

/** Implements `JobStore.addShards`. Each batch is committed, so its shards may run while others are added. */
export async function addShards(
  tables: JobTables,
  plan: Claim,
  from: number,
  shards: readonly PlannedShard[],
): Promise<boolean> {
  if (shards.length === 0) return renewLease(tables, plan);
  for (const batch of batchesOf(from, shards)) {
    const isMine = await transact(tables.em, (tx) => addBatch(tables, tx, plan, batch));
    if (!isMine) return false;
    await tables.tickets?.renewed(plan);
    await nextTurn();
  }
  return true;
}

async function addBatch(
  tables: JobTables,
  tx: Transaction,
  plan: Claim,
  batch: readonly PlannedRow[],
): Promise<boolean> {
  const { dialect, tickets } = tables;
  const { jobId } = plan;
  if ((await lockJob(tx, jobId))?.state !== 'planning') return false;
  if (!(await renewLease(tables, plan, undefined, tx))) return false;

  const rank = await nextRank(tx, jobId);
  const rows = batch.map(({ seq, range }, index) => ({ seq, range, rank: rank + index }));
  const added = await tx.execute<{ seq: number; rank: number }[]>(
    `insert into bulk_shards (job_id, seq, kind, state, rank, attempt, failures, due_at, range)
    select ?, r.seq, 'chunk', 'ready', r.rank, 0, 0, ${dialect.now}, r.range from ${dialect.plannedRows}
    where true on conflict (job_id, seq) do nothing returning seq, rank`,
    [jobId, JSON.stringify(rows)],
  );
  if (added.length < rows.length) await expectSame(dialect, tx, jobId, rows);
  const bytes = new Map(batch.map((one) => [one.seq, one.bytes]));
  const total = added.reduce((sum, { seq }) => sum + (bytes.get(seq) ?? 0), 0);
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

/** @throws ServiceError `source_changed` if an earlier attempt at the plan stored different shards */
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
 * Start-time fair queueing. The first shard of a job gets the lowest rank that is open in any job, and each
 * further shard the next rank. A small job therefore does not wait for the end of a large one.
 */
async function nextRank(sql: Sql, jobId: string): Promise<number> {
  const last = await rowOf<{ rank: number }>(
    sql,
    'select rank from bulk_shards where job_id = ? and seq >= 0 order by seq desc limit 1',
    [jobId],
  );
  return last === undefined ? lowestRank(sql) : last.rank + 1;
}

function* batchesOf(from: number, shards: readonly PlannedShard[]): Generator<readonly PlannedRow[]> {
  let batch: PlannedRow[] = [];
  let characters = 0;
  for (const [index, { range, bytes }] of shards.entries()) {
    const row = { seq: from + index, range: JSON.stringify(range), bytes };
    if (batch.length === BATCH || (batch.length > 0 && characters + row.range.length > MAX_CHARACTERS)) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(row);
    characters += row.range.length;
  }
  yield batch;
}
