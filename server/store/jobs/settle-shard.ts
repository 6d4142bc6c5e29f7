import { transact } from '../transact.ts';
import { additionOf } from './columns.ts';
import type { Claim, Failure, JobCounts, ShardResult } from './contract.ts';
import { type LockedJob, lockJob, rowOf, type Sql, type Transaction } from './dialect.ts';
import { endJob, type JobTables, openFinish } from './tables.ts';
import { IS_OWNED, ownerValues, pauseOf } from './take.ts';

interface Change {
  readonly set: string;
  readonly values: readonly unknown[];
}

const SAME: Change = { set: 'state = state', values: [] };

class Refused extends Error {}

export async function commit(tables: JobTables, claim: Claim, result: ShardResult): Promise<boolean> {
  const shard = { set: `state = 'done', output = ?, error = null`, values: [jsonOf(result.output)] };
  const counted = await settle(tables, claim, jobChange(claim, result), shard, async (tx, job) => {
    const { jobId, kind } = claim;
    if (kind === 'chunk') await addLeftOut(tx, jobId, job, result.counts);
    const failure = kind === 'chunk' ? tooManyErrors(job, result.counts) : undefined;
    if (failure !== undefined) return endJob(tables, tx, jobId, { state: 'failed', error: failure, job });
    if (kind !== 'finish') return goOn(tables, tx, claim, job);
    const error =
      job.shards_failed > 0 ? await firstFailure(tx, jobId) : (allFailed(job) ?? result.failure ?? null);
    await endJob(tables, tx, jobId, { state: error === null ? 'done' : 'failed', error, job });
  });
  return counted || isDone(tables, claim);
}

export async function fail(
  tables: JobTables,
  claim: Claim,
  { code, values }: Failure,
  isFinal = false,
): Promise<boolean> {
  const { settings, dialect } = tables;
  const failure = { code, values };
  const error = JSON.stringify(failure);
  if (!isFinal && claim.failures + 1 < settings.maxFailures) {
    const pause = pauseOf(settings, claim.failures);
    const set = `failures = failures + 1, error = ?, due_at = ${dialect.since} + ${pause}`;
    return putBack(tables, claim, { set, values: [error] }, pause);
  }
  const counts = 'shards_open = shards_open - 1, shards_failed = shards_failed + 1';
  const job = claim.kind === 'chunk' ? { set: counts, values: [] } : SAME;
  const failures = Math.min(claim.failures + 1, settings.maxFailures);
  const shard = { set: `state = 'failed', failures = ?, error = ?`, values: [failures, error] };
  return settle(tables, claim, job, shard, (tx, job) =>
    claim.kind === 'plan' || claim.kind === 'finish'
      ? endJob(tables, tx, claim.jobId, { state: 'failed', error: failure, job })
      : goOn(tables, tx, claim, job),
  );
}

export async function giveBack(tables: JobTables, claim: Claim): Promise<void> {
  await putBack(tables, claim, { set: `due_at = ${tables.dialect.now}`, values: [] }, 0);
}

async function settle(
  tables: JobTables,
  claim: Claim,
  jobChange: Change,
  shardChange: Change,
  follow: (tx: Transaction, job: LockedJob) => Promise<void>,
): Promise<boolean> {
  return unlessRefused(tables, claim, async (tx) => {
    const job = await lockJob(tx, claim.jobId, jobChange.set, jobChange.values);
    if (job === undefined) throw new Refused();
    await changeMine(tx, claim, shardChange);
    await tables.tickets?.settle(tx, claim);
    await follow(tx, job);
  });
}

async function putBack(tables: JobTables, claim: Claim, change: Change, delay: number): Promise<boolean> {
  return unlessRefused(tables, claim, async (tx) => {
    const set = `state = 'ready', ${change.set}`;
    const rank = await changeMine(tx, claim, { set, values: change.values });
    await tables.tickets?.settle(tx, claim);
    const { jobId, seq, kind } = claim;
    await tables.tickets?.send(tx, jobId, [{ seq, kind, rank }], delay);
  });
}

async function unlessRefused(
  { em, tickets }: JobTables,
  claim: Claim,
  work: (tx: Transaction) => Promise<void>,
): Promise<boolean> {
  try {
    await transact(em, work);
    return true;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    tickets?.lost(claim);
    return false;
  }
}

/** Changes the shard if the worker still owns it. @returns the rank of the shard */
async function changeMine(tx: Sql, claim: Claim, { set, values }: Change): Promise<number> {
  const statement = `update bulk_shards set worker = null, ${set} where ${IS_OWNED} returning rank`;
  const row = await rowOf<{ rank: number }>(tx, statement, [...values, ...ownerValues(claim)]);
  if (row === undefined) throw new Refused();
  return row.rank;
}

function jobChange({ kind }: Claim, result: ShardResult): Change {
  if (kind === 'plan') {
    return { set: `state = case state when 'planning' then 'running' else state end`, values: [] };
  }
  if (kind !== 'chunk') return SAME;
  const { set, values } = additionOf(result.counts);
  return { set: `shards_open = shards_open - 1, shards_done = shards_done + 1, ${set}`, values };
}

async function addLeftOut(tx: Sql, jobId: string, job: LockedJob, { left_out }: JobCounts): Promise<void> {
  const added = Object.entries(left_out);
  if (added.length === 0) return;
  const sums = new Map(Object.entries(JSON.parse(job.left_out ?? '{}') as JobCounts['left_out']));
  for (const [name, count] of added) sums.set(name, (sums.get(name) ?? 0) + count);
  const json = JSON.stringify(Object.fromEntries(sums));
  await tx.execute('update bulk_jobs set left_out = ? where id = ?', [json, jobId]);
}

/** Continues a job after any shard except `finish`: if no shard is open, opens the `finish` shard. */
async function goOn(tables: JobTables, tx: Transaction, { jobId }: Claim, job: LockedJob): Promise<void> {
  if (job.state === 'running' && job.shards_open === 0) await openFinish(tables, tx, jobId);
}

/** Checks the limit only if documents failed in this shard, because a retried job may exceed it already. */
function tooManyErrors(job: LockedJob, added: JobCounts): Failure | undefined {
  const failed = Number(job.documents_failed);
  if (job.max_errors === null || added.failed === 0 || failed <= job.max_errors) return undefined;
  return { code: 'too_many_failed', values: { failed, most: job.max_errors } };
}

function allFailed(job: LockedJob): Failure | undefined {
  const failed = Number(job.documents_failed);
  return failed > 0 && failed === Number(job.documents)
    ? { code: 'all_failed', values: { failed } }
    : undefined;
}

async function firstFailure(tx: Sql, jobId: string): Promise<Failure> {
  const failed = `job_id = ? and state = 'failed' and seq >= 0`;
  const row = await rowOf<{ error: string }>(
    tx,
    `select error from bulk_shards where ${failed} order by seq limit 1`,
    [jobId],
  );
  return row === undefined ? { code: 'internal', values: {} } : (JSON.parse(row.error) as Failure);
}

/** Whether an earlier call committed this attempt, so that only the answer was lost. */
async function isDone({ em }: JobTables, { jobId, seq, attempt }: Claim): Promise<boolean> {
  const done = `job_id = ? and seq = ? and attempt = ? and state = 'done'`;
  const row = await rowOf(em.fork(), `select seq from bulk_shards where ${done}`, [jobId, seq, attempt]);
  return row !== undefined;
}

function jsonOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
