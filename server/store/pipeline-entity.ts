import { defineEntity, type EntityProperty, type InferEntity, type Platform, p, Type } from '@mikro-orm/core';
import type { PipelineStep } from '../../core/contracts/pipeline.ts';

/** A time as text with microseconds; the ORM's own types keep only milliseconds. */
class MicrosecondTime extends Type<string, string> {
  /** PostgreSQL writes a space instead of the `T`, and omits trailing zeros. */
  override convertToJSValue(value: string): string {
    const [whole = '', fraction = ''] = value.replace(' ', 'T').split('.');
    return `${whole}.${fraction.padEnd(6, '0')}`;
  }

  override getColumnType(_property: EntityProperty, platform: Platform): string {
    return isPostgreSql(platform) ? 'timestamp(6)' : 'text';
  }

  /** Otherwise the driver of PostgreSQL would return a `Date`. */
  override compareAsType(): string {
    return 'string';
  }
}

/**
 * JSON as text, which is returned exactly as stored: with the order of its members, and with NUL and lone surrogates
 * in strings. These are escapes in the text; PostgreSQL's own JSON types refuse them.
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

export function isPostgreSql(platform: Platform): boolean {
  return platform.constructor.name.startsWith('Postgre');
}

/** The table of pipelines; a change here needs a migration. */
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
    // Not `.version()`: that needs a default in the table, and does not check deletions.
    version: p.integer(),
  },
});

export type PipelineRow = InferEntity<typeof PipelineEntity>;
