import type { MigrationObject } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';

/**
 * A migration that adds columns. Servers of the previous version continue to use the table: they leave the defaults
 * in new columns.
 */
export function addColumns(
  table: string,
  columns: Readonly<Record<string, string>>,
): MigrationObject['class'] {
  return class extends Migration {
    override up(): void {
      for (const [name, type] of Object.entries(columns))
        this.addSql(`alter table ${table} add column ${name} ${type}`);
    }

    override down(): void {
      for (const name of Object.keys(columns)) this.addSql(`alter table ${table} drop column ${name}`);
    }
  };
}
