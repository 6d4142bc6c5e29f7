import { Migration } from '@mikro-orm/migrations';
import { isPostgreSql } from '../column-types.ts';

const POSTGRESQL = { uuid: 'uuid', double: 'double precision', truth: 'boolean' };
const SQLITE = { uuid: 'text', double: 'double', truth: 'integer' };

/**
 * Jobs and their shards. Times are seconds since 1970. Shards run in the order of `rank`; each job counts up from the
 * lowest rank that is open when it is planned. `attempt` is incremented by every claim, and identifies it. `due_at` is
 * when a ready shard may run, or the lease of a running one ends. Long columns are at the end, so that the rest is read
 * without them.
 */
export class CreateBulkJobs extends Migration {
  override up(): void {
    const { uuid, double, truth } = isPostgreSql(this.driver.getPlatform()) ? POSTGRESQL : SQLITE;
    this.addSql(`create table bulk_jobs (
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
    )`);
    this.addSql('create unique index bulk_jobs_idempotency_key_unique on bulk_jobs (idempotency_key)');
    this.addSql('create index bulk_jobs_created_at_id_index on bulk_jobs (created_at, id)');
    this.addSql('create index bulk_jobs_state_created_at_id_index on bulk_jobs (state, created_at, id)');
    this.addSql('create index bulk_jobs_expires_at_index on bulk_jobs (expires_at)');
    this.addSql(`create table bulk_shards (
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
    )`);
    this.addSql(
      `create index bulk_shards_open_index on bulk_shards (rank, job_id, seq) where state in ('ready', 'running')`,
    );
    this.addSql('create index bulk_shards_state_index on bulk_shards (job_id, state, seq)');
  }

  override down(): void {
    this.addSql('drop table bulk_shards');
    this.addSql('drop table bulk_jobs');
  }
}
