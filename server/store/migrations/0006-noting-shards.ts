import { Migration } from '@mikro-orm/migrations';

/** Which shard had a document first, so that no job stores two of one id. Servers of the version before leave it empty. */
export class AddNotingShards extends Migration {
  override up(): void {
    this.addSql('alter table bulk_documents add column shard text');
  }

  override down(): void {
    this.addSql('alter table bulk_documents drop column shard');
  }
}
