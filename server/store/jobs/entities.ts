import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { ExactJson } from '../column-types.ts';
import type { Failure, JobState, ShardKind, ShardState } from './contract.ts';

/** The table of jobs; a change here needs a migration. Times are seconds since 1970. */
export const BulkJobEntity = defineEntity({
  name: 'BulkJob',
  tableName: 'bulk_jobs',
  uniques: [{ name: 'bulk_jobs_idempotency_key_unique', properties: ['idempotencyKey'] }],
  indexes: [
    { name: 'bulk_jobs_created_at_id_index', properties: ['createdAt', 'id'] },
    { name: 'bulk_jobs_state_created_at_id_index', properties: ['state', 'createdAt', 'id'] },
    { name: 'bulk_jobs_expires_at_index', properties: ['expiresAt'] },
  ],
  properties: {
    id: p.uuid().primary(),
    state: p.text().$type<JobState>(),
    digest: p.text(),
    idempotencyKey: p.text().nullable(),
    notifies: p.boolean(),
    maxErrors: p.integer().nullable(),
    keepSeconds: p.double(),
    createdAt: p.double(),
    finishedAt: p.double().nullable(),
    expiresAt: p.double(),
    shardsTotal: p.integer(),
    /** For the `chunk` shards, like the other three. */
    shardsOpen: p.integer(),
    shardsDone: p.integer(),
    shardsFailed: p.integer(),
    documents: p.bigint('number'),
    documentsFailed: p.bigint('number'),
    chunks: p.bigint('number'),
    skippedNoReader: p.bigint('number').defaultRaw('0'),
    skippedBinary: p.bigint('number').defaultRaw('0'),
    documentsEmpty: p.bigint('number').defaultRaw('0'),
    embeddingEmpty: p.bigint('number').defaultRaw('0'),
    pruned: p.bigint('number').defaultRaw('0'),
    unpruned: p.bigint('number').defaultRaw('0'),
    bytesRead: p.bigint('number'),
    bytesTotal: p.bigint('number'),
    error: p.type(ExactJson<Failure>).nullable(),
    spec: p.type(ExactJson<object>),
    upload: p.text().nullable().lazy(),
  },
});

export type BulkJobRow = InferEntity<typeof BulkJobEntity>;

/** The table of shards. Long columns are at the end, so that the rest is read without them. */
export const BulkShardEntity = defineEntity({
  name: 'BulkShard',
  tableName: 'bulk_shards',
  indexes: [
    {
      name: 'bulk_shards_open_index',
      properties: ['rank', 'jobId', 'seq'],
      where: `state in ('ready', 'running')`,
    },
    { name: 'bulk_shards_state_index', properties: ['jobId', 'state', 'seq'] },
  ],
  properties: {
    jobId: () =>
      p.manyToOne(BulkJobEntity).mapToPk().primary().deleteRule('cascade').fieldName('job_id').index(false),
    seq: p.integer().primary(),
    kind: p.text().$type<ShardKind>(),
    state: p.text().$type<ShardState>(),
    /** Shards run in this order; each job counts up from the lowest rank that is open when it is planned. */
    rank: p.integer(),
    /** Incremented by every claim, and identifies it. */
    attempt: p.integer(),
    failures: p.integer(),
    /** When a ready shard may run; when the lease of a running one ends. */
    dueAt: p.double(),
    worker: p.text().nullable(),
    range: p.type(ExactJson<object>),
    error: p.type(ExactJson<Failure>).nullable(),
    output: p.type(ExactJson<object>).nullable(),
  },
});

export type BulkShardRow = InferEntity<typeof BulkShardEntity>;

/**
 * The table of the documents that jobs have stored in sinks, which outlives the jobs. Sinks, sources and keys (of
 * ids) are digests; `seenAt` is the creation time of the newest job that had the document, and `shard` the one that
 * stores it: `<job>/<seq>`.
 */
export const BulkDocumentEntity = defineEntity({
  name: 'BulkDocument',
  tableName: 'bulk_documents',
  indexes: [{ name: 'bulk_documents_sink_source_seen_at_index', properties: ['sink', 'source', 'seenAt'] }],
  properties: {
    sink: p.text().primary(),
    key: p.text().primary(),
    source: p.text().primary(),
    id: p.text(),
    seenAt: p.double(),
    shard: p.text().nullable(),
  },
});
