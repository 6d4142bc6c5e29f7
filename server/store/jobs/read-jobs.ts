import type { FilterQuery } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { idOf, newestFirst } from '../pages.ts';
import type {
  JobLoad,
  JobPage,
  JobRecord,
  JobStore,
  ShardPage,
  ShardRecord,
  ShardState,
} from './contract.ts';
import { rowsOf, type ShardTable } from './dialect.ts';
import { BulkJobEntity, type BulkJobRow, BulkShardEntity, type BulkShardRow } from './entities.ts';
import { jobNotFound } from './tables.ts';

/** @param em a transaction sees its own changes */
export async function findJob(
  em: SqlEntityManager,
  where: FilterQuery<BulkJobRow>,
): Promise<{ readonly record: JobRecord; readonly digest: string } | undefined> {
  const row = await em.findOne(BulkJobEntity, where, { disableIdentityMap: true });
  return row === null ? undefined : { record: toJob(row), digest: row.digest };
}

/** @throws ServiceError `job_not_found` */
export async function getJob(em: SqlEntityManager, given: string): Promise<JobRecord> {
  const id = idOf(given);
  const found = id === undefined ? undefined : await findJob(em, { id });
  if (found === undefined) throw jobNotFound(given);
  return found.record;
}

export async function listJobs(
  { em }: ShardTable,
  { state, ...page }: Parameters<JobStore['list']>[0],
): Promise<JobPage> {
  const { rows, hasMore } = await newestFirst(em, BulkJobEntity, page, state === undefined ? {} : { state });
  return { jobs: rows.map(toJob), hasMore };
}

export async function listShards(
  { em }: ShardTable,
  given: string,
  { limit, after = -1, state }: Parameters<JobStore['shards']>[1],
): Promise<ShardPage> {
  const id = idOf(given);
  if (id === undefined) return { shards: [], hasMore: false };
  const later: FilterQuery<BulkShardRow> = { jobId: id, seq: { $gt: Math.max(after, -1) } };
  const rows = await em.fork().find(BulkShardEntity, state === undefined ? later : { ...later, state }, {
    orderBy: { seq: 'asc' },
    limit: limit + 1,
    disableIdentityMap: true,
  });
  return { shards: rows.slice(0, limit).map(toShard), hasMore: rows.length > limit };
}

export async function readUpload({ em }: ShardTable, given: string): Promise<string | null> {
  const id = idOf(given);
  if (id === undefined) return null;
  const row = await em
    .fork()
    .findOne(BulkJobEntity, { id }, { fields: ['upload'], disableIdentityMap: true });
  return row?.upload ?? null;
}

export async function listExpired({ em, dialect }: ShardTable, limit: number): Promise<readonly JobRecord[]> {
  const expired = `select id from bulk_jobs where expires_at <= ${dialect.since} order by expires_at limit ?`;
  const fork = em.fork();
  const ids = (await rowsOf<{ id: string }>(fork, expired, [limit])).map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = await fork.find(BulkJobEntity, { id: ids }, { disableIdentityMap: true });
  return rows.map(toJob).sort((a, b) => a.expires_at - b.expires_at);
}

export async function readLoad({ em, dialect }: ShardTable): Promise<JobLoad> {
  const rows = await rowsOf<{ state: ShardState; count: number | string; oldest: number | null }>(
    em.fork(),
    `select state, count(*) as count, ${dialect.since} - min(case state when 'ready' then due_at end) as oldest
    from bulk_shards group by state`,
    [],
  );
  const shards = { ready: 0, running: 0, done: 0, failed: 0, cancelled: 0 };
  for (const { state, count } of rows) shards[state] = Number(count);
  const oldest = rows.find(({ state }) => state === 'ready')?.oldest ?? 0;
  return { shards, oldestReadySeconds: Math.max(0, Number(oldest)) };
}

function toJob(row: Omit<BulkJobRow, 'upload' | symbol>): JobRecord {
  return {
    id: row.id,
    spec: row.spec,
    state: row.state,
    error: row.error ?? null,
    shards: {
      total: row.shardsTotal,
      open: row.shardsOpen,
      done: row.shardsDone,
      failed: row.shardsFailed,
    },
    documents: {
      done: Number(row.documents) - Number(row.documentsFailed),
      failed: Number(row.documentsFailed),
    },
    skipped: {
      no_reader: Number(row.skippedNoReader),
      binary: Number(row.skippedBinary),
      empty: Number(row.documentsEmpty),
    },
    chunks: Number(row.chunks),
    embedding_empty: Number(row.embeddingEmpty),
    pruned: Number(row.pruned),
    unpruned: Number(row.unpruned),
    bytes: { read: Number(row.bytesRead), total: Number(row.bytesTotal) },
    created_at: Number(row.createdAt),
    finished_at: row.finishedAt == null ? null : Number(row.finishedAt),
    expires_at: Number(row.expiresAt),
  };
}

function toShard(row: Omit<BulkShardRow, 'jobId' | symbol>): ShardRecord {
  const { seq, kind, state, attempt, failures, range, worker = null, output = null, error = null } = row;
  return { seq, kind, state, attempt, failures, worker, range, output, error };
}
