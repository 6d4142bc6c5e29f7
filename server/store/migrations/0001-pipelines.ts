import { Migration } from '@mikro-orm/migrations';
import { isPostgreSql } from '../column-types.ts';

export class CreatePipelines extends Migration {
  override up(): void {
    const [uuid, name, time] = isPostgreSql(this.driver.getPlatform())
      ? ['uuid', 'varchar(255)', 'timestamp(6)']
      : ['text', 'text', 'text'];
    this.addSql(`create table pipelines (
      id ${uuid} not null primary key,
      name ${name} not null,
      description text null,
      steps text not null,
      created_at ${time} not null,
      updated_at ${time} not null,
      version int not null
    )`);
    this.addSql('create unique index pipelines_name_unique on pipelines (name)');
    this.addSql('create index pipelines_created_at_id_index on pipelines (created_at, id)');
  }

  override down(): void {
    this.addSql('drop table pipelines');
  }
}
