import { Migration } from '@mikro-orm/migrations';

/** Jobs count texts of which the model knows no word. Servers of the version before go on with these tables: they leave the default. */
export class AddEmptyVectors extends Migration {
  override up(): void {
    this.addSql('alter table bulk_jobs add column embedding_empty bigint not null default 0');
  }

  override down(): void {
    this.addSql('alter table bulk_jobs drop column embedding_empty');
  }
}
