import {
  defineEntity,
  type EntityProperty,
  type InferEntity,
  type MigrationObject,
  type Platform,
  p,
  Type,
} from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import type { PipelineStep } from '../../core/contracts/pipeline.ts';

/** A time as text with microseconds. The ORM's own types keep only milliseconds. */
class MicrosecondTime extends Type<string, string> {
  /** Restores the `T` and the trailing zeros, because PostgreSQL writes a space and omits these zeros. */
  override convertToJSValue(value: string): string {
    const [whole = '', fraction = ''] = value.replace(' ', 'T').split('.');
    return `${whole}.${fraction.padEnd(6, '0')}`;
  }

  override getColumnType(_property: EntityProperty, platform: Platform): string {
    return isPostgreSql(platform) ? 'timestamp(6)' : 'text';
  }

  /** Otherwise PostgreSQL's driver would return a `Date`. */
  override compareAsType(): string {
    return 'string';
  }
}

/**
 * JSON as text that is returned exactly as stored, with the order of members, NUL and lone surrogates.
 * PostgreSQL's own JSON types refuse the escapes of NUL and lone surrogates.
 */
class ExactJson<T> extends Type<T, string> {
  override convertToDatabaseValue(value: T): string {
    return JSON.stringify(value);
  }

  override convertToJSValue(value: string): T {
    return JSON.parse(value) as T;
  }

  override getColumnType(): string {
    return 'text';
  }

  override compareAsType(): string {
    return 'string';
  }
}

function isPostgreSql(platform: Platform): boolean {
  return platform.constructor.name.startsWith('Postgre');
}

export const PipelineEntity = defineEntity({
  name: 'Pipeline',
  tableName: 'pipelines',
  uniques: [{ name: 'pipelines_name_unique', properties: ['name'] }],
  indexes: [{ name: 'pipelines_created_at_id_index', properties: ['createdAt', 'id'] }],
  properties: {
    id: p.uuid().primary(),
    name: p.string(),
    description: p.text().nullable(),
    steps: p.type(ExactJson<readonly PipelineStep[]>),
    createdAt: p.type(MicrosecondTime),
    updatedAt: p.type(MicrosecondTime),
    // Not `.version()`, which needs a default in the table and does not check deletions.
    version: p.integer(),
  },
});

export type PipelineRow = InferEntity<typeof PipelineEntity>;

const POSTGRESQL = {
  uuid: 'uuid',
  varchar: 'varchar(255)',
  time: 'timestamp(6)',
  double: 'double precision',
  truth: 'boolean',
};
const SQLITE: typeof POSTGRESQL = {
  uuid: 'text',
  varchar: 'text',
  time: 'text',
  double: 'double',
  truth: 'integer',
};

/** @param up statements with the column types of the database @param down statements that undo `up` */
function migration(
  name: string,
  up: (types: typeof POSTGRESQL) => readonly string[],
  down: readonly string[],
): MigrationObject {
  return {
    name,
    class: class extends Migration {
      override up(): void {
        const types = isPostgreSql(this.driver.getPlatform()) ? POSTGRESQL : SQLITE;
        for (const statement of up(types)) this.addSql(statement);
      }

      override down(): void {
        for (const statement of down) this.addSql(statement);
      }
    },
  };
}

/** A migration that adds columns. Their defaults are for servers of the previous version. */
function addColumns(name: string, table: string, columns: Readonly<Record<string, string>>): MigrationObject {
  const added = Object.entries(columns).map(
    ([column, type]) => `alter table ${table} add column ${column} ${type}`,
  );
  const dropped = Object.keys(columns).map((column) => `alter table ${table} drop column ${column}`);
  return migration(name, () => added, dropped);
}

const PIPELINES = migration(
  '0001-pipelines',
  ({ uuid, varchar, time }) => [
    `create table pipelines (
      id ${uuid} not null primary key,
      name ${varchar} not null,
      description text null,
      steps text not null,
      created_at ${time} not null,
      updated_at ${time} not null,
      version int not null
    )`,
    'create unique index pipelines_name_unique on pipelines (name)',
    'create index pipelines_created_at_id_index on pipelines (created_at, id)',
  ],
  ['drop table pipelines'],
);

/**
 * Jobs and their shards. Times are in seconds since 1970.
 * - `rank` orders shards. The ranks of a job count up from the lowest open rank at the time of planning.
 * - `attempt` identifies a claim of the shard, and is incremented by every claim.
 * - `due_at` is the time when a ready shard may run, or when the lease of a running shard ends.
 * Columns with long values are last, so that other columns are read without them.
 */
const BULK_JOBS = migration(
  '0002-bulk-jobs',
  ({ uuid, double, truth }) => [
    `create table bulk_jobs (
      id ${uuid} not null primary key,
      state text not null,
      digest text not null,
      idempotency_key text null,
      notifies ${truth} not null,
      max_errors integer null,
      keep_seconds ${double} not null,
      created_at ${double} not null,
      finished_at ${double} null,
      expires_at ${double} not null,
      shards_total integer not null,
      shards_open integer not null,
      shards_done integer not null,
      shards_failed integer not null,
      documents bigint not null,
      documents_failed bigint not null,
      chunks bigint not null,
      bytes_read bigint not null,
      bytes_total bigint not null,
      error text null,
      spec text not null,
      upload text null
    )`,
    'create unique index bulk_jobs_idempotency_key_unique on bulk_jobs (idempotency_key)',
    'create index bulk_jobs_created_at_id_index on bulk_jobs (created_at, id)',
    'create index bulk_jobs_state_created_at_id_index on bulk_jobs (state, created_at, id)',
    'create index bulk_jobs_expires_at_index on bulk_jobs (expires_at)',
    `create table bulk_shards (
      job_id ${uuid} not null,
      seq integer not null,
      kind text not null,
      state text not null,
      rank integer not null,
      attempt integer not null,
      failures integer not null,
      due_at ${double} not null,
      worker text null,
      range text not null,
      error text null,
      output text null,
      primary key (job_id, seq),
      constraint bulk_shards_job_id_foreign foreign key (job_id) references bulk_jobs (id) on delete cascade
    )`,
    `create index bulk_shards_open_index on bulk_shards (rank, job_id, seq) where state in ('ready', 'running')`,
    'create index bulk_shards_state_index on bulk_shards (job_id, state, seq)',
  ],
  ['drop table bulk_shards', 'drop table bulk_jobs'],
);

/**
 * The documents that jobs have stored in sinks, and each job's count of pruned documents. Sinks, sources and
 * keys of ids are digests. `seen_at` is the creation time of the newest job with the document. Rows remain
 * when a job is removed. Servers of the previous version do not set the new columns of `bulk_jobs`.
 */
const STORED_DOCUMENTS = migration(
  '0004-stored-documents',
  ({ double }) => [
    `create table bulk_documents (
      sink text not null,
      key text not null,
      source text not null,
      id text not null,
      seen_at ${double} not null,
      primary key (sink, key, source)
    )`,
    'create index bulk_documents_sink_source_seen_at_index on bulk_documents (sink, source, seen_at)',
    'alter table bulk_jobs add column pruned bigint not null default 0',
    'alter table bulk_jobs add column unpruned bigint not null default 0',
  ],
  [
    'alter table bulk_jobs drop column unpruned',
    'alter table bulk_jobs drop column pruned',
    'drop table bulk_documents',
  ],
);

const COUNT = 'bigint not null default 0';
const EMPTY_VECTORS = { embedding_empty: COUNT };
const SKIPPED_FILES = { skipped_no_reader: COUNT, skipped_binary: COUNT, documents_empty: COUNT };
/** The shard that first stored a document, as `<job>/<seq>`. Prevents two documents with one id in a job. */
const NOTING_SHARDS = { shard: 'text' };
const FALLBACK_VECTORS = { embedding_fallback: COUNT };
const LEFT_OUT = { left_out: 'text null' };
const PROGRESS = {
  documents_so_far: COUNT,
  failed_so_far: COUNT,
  chunks_so_far: COUNT,
  bytes_so_far: COUNT,
};
const CUT_TEXTS = { embedding_cut: COUNT };
const OVERSIZE_CHUNKS = { chunks_oversize: COUNT };
const UNREAD_ENTRIES = { skipped_ignored: COUNT, skipped_unreadable: COUNT };

/** All migrations, oldest first. Never change a released migration; append a new one instead. */
export const MIGRATIONS: MigrationObject[] = [
  PIPELINES,
  BULK_JOBS,
  addColumns('0003-empty-vectors', 'bulk_jobs', EMPTY_VECTORS),
  STORED_DOCUMENTS,
  addColumns('0005-skipped-files', 'bulk_jobs', SKIPPED_FILES),
  addColumns('0006-noting-shards', 'bulk_documents', NOTING_SHARDS),
  addColumns('0007-fallback-vectors', 'bulk_jobs', FALLBACK_VECTORS),
  addColumns('0008-left-out', 'bulk_jobs', LEFT_OUT),
  addColumns('0009-progress', 'bulk_shards', PROGRESS),
  addColumns('0010-cut-texts', 'bulk_jobs', CUT_TEXTS),
  addColumns('0011-unread-entries', 'bulk_jobs', UNREAD_ENTRIES),
  addColumns('0012-oversize-chunks', 'bulk_jobs', OVERSIZE_CHUNKS),
];
