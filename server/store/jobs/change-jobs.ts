import { ServiceError } from '../../../core/errors.ts';
import { idOf } from '../ids.ts';
import { transact } from '../transact.ts';
import { insertionOf } from './columns.ts';
import type { JobRecord, NewJob } from './contract.ts';
import { isOver, type LockedJob, lockJob, rowOf, type Transaction } from './dialect.ts';
import { findJob, getJob } from './read-jobs.ts';
import {
  changeShards,
  endJob,
  type JobTables,
  jobNotFound,
  lowestRank,
  openFinish,
  openShard,
  SEQ,
} from './tables.ts';
import { IS_OPEN } from './take.ts';

/** @param id of the new job; must stay the same if a call is repeated after a lost answer */
export async function createJob(
  tables: JobTables,
  job: NewJob,
  id: string,
): Promise<{ readonly job: JobRecord; readonly isNew: boolean }> {
  const found = await transact(tables.em, async (tx) => {
    if (await insertJob(tables, tx, job, id)) await openShard(tables, tx, id, 'plan');
    const key = job.idempotencyKey;
    return (await findJob(tx, 'id', id)) ?? (key === null ? undefined : findJob(tx, 'idempotency_key', key));
  });
  // The job with this key was removed between the two statements.
  if (found === undefined) return createJob(tables, job, id);
  const { record, digest } = found;
  if (digest !== job.digest) throw new ServiceError('idempotency_key_reused', { id: record.id });
  return { job: record, isNew: record.id === id };
}

/** @returns false if a job with this id or idempotency key exists */
async function insertJob({ dialect }: JobTables, tx: Transaction, job: NewJob, id: string): Promise<boolean> {
  const { digest, idempotencyKey, notifies, maxErrors, keepSeconds, upload } = job;
  const insertion = insertionOf({
    id: '?',
    state: `'planning'`,
    digest: '?',
    idempotency_key: '?',
    notifies: '?',
    max_errors: '?',
    keep_seconds: '?',
    created_at: dialect.now,
    expires_at: `${dialect.now} + ?`,
    spec: '?',
    upload: '?',
  });
  const row = await rowOf(tx, `${insertion} on conflict do nothing returning id`, [
    id,
    digest,
    idempotencyKey,
    notifies,
    maxErrors,
    keepSeconds,
    keepSeconds,
    JSON.stringify(job.spec),
    upload,
  ]);
  return row !== undefined;
}

export function cancelJob(tables: JobTables, given: string): Promise<JobRecord> {
  return changeJob(tables, given, async (tx, id, job) => {
    if (!isOver(job.state)) await endJob(tables, tx, id, { state: 'cancelled', error: null, job });
    return getJob(tx, id);
  });
}

export function retryJob(tables: JobTables, given: string): Promise<JobRecord> {
  return changeJob(tables, given, async (tx, id, job) => {
    const remedy = job.state === 'done' ? 'there is nothing to retry' : 'wait until it ends, or cancel it';
    if (job.state !== 'failed' && job.state !== 'cancelled') throw notOver(id, job, remedy);
    const cancelNotification = `update bulk_shards set state = 'cancelled', attempt = attempt + 1, worker = null`;
    await tx.execute(`${cancelNotification} where job_id = ? and seq = ${SEQ.notify} and ${IS_OPEN}`, [id]);
    const { isPlanned, chunks } = await reopen(tables, tx, id);
    const { now } = tables.dialect;
    const reset = `shards_failed = 0, error = null, finished_at = null, expires_at = ${now} + keep_seconds`;
    await lockJob(tx, id, `state = ?, shards_open = ?, ${reset}`, [
      isPlanned ? 'running' : 'planning',
      chunks,
    ]);
    if (isPlanned && chunks === 0) await openFinish(tables, tx, id);
    return getJob(tx, id);
  });
}

/** Reopens failed and cancelled shards. A worker still busy with one loses it, because `attempt` grows. */
async function reopen({ dialect, tickets }: JobTables, tx: Transaction, id: string) {
  const closed = `state in ('failed', 'cancelled') and kind in ('plan', 'chunk')`;
  const first = await rowOf<{ rank: number | null }>(
    tx,
    `select min(rank) as rank from bulk_shards where job_id = ? and ${closed} and kind = 'chunk'`,
    [id],
  );
  const shift = (await lowestRank(tx)) - (first?.rank ?? 1);
  const reopening = `update bulk_shards set state = 'ready', attempt = attempt + 1, failures = 0, worker = null,
    error = null, due_at = ${dialect.now}, rank = case kind when 'chunk' then rank + (${shift}) else rank end`;
  let isPlanned = true;
  let chunks = 0;
  for await (const shards of changeShards(tx, id, reopening, closed)) {
    if (shards.some(({ kind }) => kind === 'plan')) isPlanned = false;
    chunks += shards.filter(({ kind }) => kind === 'chunk').length;
    await tickets?.send(tx, id, shards);
  }
  return { isPlanned, chunks };
}

export async function removeJob(tables: JobTables, given: string): Promise<void> {
  await changeJob(tables, given, async (tx, id, job) => {
    if (!isOver(job.state)) throw notOver(id, job, 'cancel it first');
    for await (const _ of changeShards(tx, id, 'delete from bulk_shards', 'true'));
    await tx.execute('delete from bulk_jobs where id = ?', [id]);
  });
}

async function changeJob<T>(
  { em }: JobTables,
  given: string,
  change: (tx: Transaction, id: string, job: LockedJob) => Promise<T>,
): Promise<T> {
  const id = idOf(given);
  if (id === undefined) throw jobNotFound(given);
  return transact(em, async (tx) => {
    const job = await lockJob(tx, id);
    if (job === undefined) throw jobNotFound(given);
    return change(tx, id, job);
  });
}

function notOver(id: string, { state }: LockedJob, remedy: string): ServiceError {
  return new ServiceError('job_not_over', { id, state, remedy });
}
