import { hash } from 'node:crypto';
import { transact } from '../transact.ts';
import type { Claim, GoneDocument, PruneCounts, SourceInSink } from './contract.ts';
import { lockJob, rowOf, type ShardTable } from './dialect.ts';
import { BATCH } from './tables.ts';
import { IS_OWNED, ownerValues } from './take.ts';

const CREATED = '(select created_at from bulk_jobs where bulk_jobs.id = ?)';

/** Implements `JobStore.noteStored`. An id keeps its first shard, so that retries get the same answer. */
export async function noteStored(
  { em, dialect }: ShardTable,
  { jobId, seq }: Pick<Claim, 'jobId' | 'seq'>,
  { sink, source }: SourceInSink,
  ids: readonly string[],
): Promise<readonly string[]> {
  const insert = `insert into bulk_documents (sink, source, key, id, seen_at, shard)
    select ?, ?, r.key, r.id, bulk_jobs.created_at, ? from ${dialect.idRows}, bulk_jobs where bulk_jobs.id = ?
    on conflict (sink, key, source) do update set seen_at = excluded.seen_at, shard = excluded.shard
    where bulk_documents.seen_at < excluded.seen_at
      or (bulk_documents.seen_at = excluded.seen_at and bulk_documents.shard is null)`;
  const others = `select id from bulk_documents where sink = ? and source = ? and shard <> ? and shard like ?
    and key in (select r.key from ${dialect.idRows})`;
  const shard = `${jobId}/${seq}`;
  const found: string[] = [];
  for (const rows of inBatches(ids)) {
    const json = JSON.stringify(rows);
    await em.fork().execute(insert, [sink, source, shard, json, jobId]);
    const ofOthers = await em
      .fork()
      .execute<{ id: string }[]>(others, [sink, source, shard, `${jobId}/%`, json]);
    found.push(...ofOthers.map(({ id }) => JSON.parse(id) as string));
  }
  return found;
}

export async function noteFailed(
  { em, dialect }: ShardTable,
  jobId: string,
  { sink, source }: SourceInSink,
  ids: readonly string[],
): Promise<void> {
  const update = `update bulk_documents set seen_at = ${CREATED}, shard = null
    where sink = ? and source = ? and seen_at < ${CREATED} and key in (select r.key from ${dialect.idRows})`;
  for (const rows of inBatches(ids))
    await em.fork().execute(update, [jobId, sink, source, jobId, JSON.stringify(rows)]);
}

const GONE = `d.sink = ? and d.source = ? and d.seen_at < ${CREATED}`;

export async function goneDocuments(
  { em }: ShardTable,
  jobId: string,
  { sink, source }: SourceInSink,
): Promise<readonly GoneDocument[]> {
  const rows = await em.fork().execute<{ id: string; elsewhere: boolean | number }[]>(
    `select d.id, exists (select 1 from bulk_documents o
      where o.sink = d.sink and o.key = d.key and o.source <> d.source) as elsewhere
    from bulk_documents d where ${GONE} limit ${BATCH}`,
    [sink, source, jobId],
  );
  return rows.map(({ id, elsewhere }) => ({ id: JSON.parse(id) as string, isElsewhere: Boolean(elsewhere) }));
}

export async function countGone(
  { em }: ShardTable,
  jobId: string,
  { sink, source }: SourceInSink,
): Promise<number> {
  const count = `select count(*) as count from bulk_documents d where ${GONE}`;
  const row = await rowOf<{ count: number | string }>(em.fork(), count, [sink, source, jobId]);
  return Number(row?.count ?? 0);
}

export function forgetDocuments(
  { em, dialect }: ShardTable,
  claim: Claim,
  { sink, source }: SourceInSink,
  ids: readonly string[],
  { pruned, unpruned }: PruneCounts,
): Promise<boolean> {
  return transact(em, async (tx) => {
    await lockJob(tx, claim.jobId);
    const mine = await rowOf(tx, `select seq from bulk_shards where ${IS_OWNED}`, ownerValues(claim));
    if (mine === undefined) return false;
    await lockJob(tx, claim.jobId, 'pruned = pruned + ?, unpruned = ?', [pruned, unpruned]);
    for (const rows of inBatches(ids))
      await tx.execute(
        `delete from bulk_documents where sink = ? and source = ? and seen_at < ${CREATED}
          and key in (select r.key from ${dialect.idRows})`,
        [sink, source, claim.jobId, JSON.stringify(rows)],
      );
    return true;
  });
}

/**
 * Yields each id once, in batches: the key of the id's row, and the id as JSON, which escapes what a database
 * cannot store. All writers use the same order, which prevents deadlocks.
 */
function* inBatches(ids: readonly string[]) {
  const rows = new Map(ids.map((id) => [keyOf(JSON.stringify(id)), JSON.stringify(id)]));
  const sorted = [...rows].map(([key, id]) => ({ key, id })).sort((a, b) => (a.key < b.key ? -1 : 1));
  for (let at = 0; at < sorted.length; at += BATCH) yield sorted.slice(at, at + BATCH);
}

/** Half of a SHA-256 digest instead of the id, because indexes limit the length of text. */
function keyOf(id: string): string {
  return hash('sha256', id, 'base64url').slice(0, 22);
}
