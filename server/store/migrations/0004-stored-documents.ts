import { Migration } from '@mikro-orm/migrations';
import { isPostgreSql } from '../column-types.ts';

/**
 * Which documents jobs have stored in sinks, which outlives the jobs, and how many of them they pruned. Sinks, sources
 * and keys (of ids) are digests; `seen_at` is the creation time of the newest job that had the document. Servers of the
 * previous version keep the defaults.
 */
export class CreateStoredDocuments extends Migration {
  override up(): void {
    const double = isPostgreSql(this.driver.getPlatform()) ? 'double precision' : 'double';
    this.addSql(`create table bulk_documents (
      sink text not null,
      key text not null,
      source text not null,
      id text not null,
      seen_at ${double} not null,
      primary key (sink, key, source)
    )`);
    this.addSql(
      'create index bulk_documents_sink_source_seen_at_index on bulk_documents (sink, source, seen_at)',
    );
    this.addSql('alter table bulk_jobs add column pruned bigint not null default 0');
    this.addSql('alter table bulk_jobs add column unpruned bigint not null default 0');
  }

  override down(): void {
    this.addSql('alter table bulk_jobs drop column unpruned');
    this.addSql('alter table bulk_jobs drop column pruned');
    this.addSql('drop table bulk_documents');
  }
}
