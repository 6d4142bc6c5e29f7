import { Migration } from '@mikro-orm/migrations';

const COLUMNS = ['skipped_no_reader', 'skipped_binary', 'documents_empty'];

/** Jobs count what they skipped, and documents without text. Servers of the version before leave the defaults. */
export class AddSkippedFiles extends Migration {
  override up(): void {
    for (const name of COLUMNS)
      this.addSql(`alter table bulk_jobs add column ${name} bigint not null default 0`);
  }

  override down(): void {
    for (const name of COLUMNS) this.addSql(`alter table bulk_jobs drop column ${name}`);
  }
}
