import { type EntityProperty, type Platform, Type } from '@mikro-orm/core';

/** A time as text with microseconds; the ORM's own types keep only milliseconds. */
export class MicrosecondTime extends Type<string, string> {
  /** PostgreSQL writes a space instead of the `T`, and omits trailing zeros. */
  override convertToJSValue(value: string): string {
    const [whole = '', fraction = ''] = value.replace(' ', 'T').split('.');
    return `${whole}.${fraction.padEnd(6, '0')}`;
  }

  override getColumnType(_property: EntityProperty, platform: Platform): string {
    return isPostgreSql(platform) ? 'timestamp(6)' : 'text';
  }
}

/**
 * JSON as text, which is returned exactly as stored: with the order of its members, and with NUL and lone surrogates
 * in strings. These are escapes in the text; PostgreSQL's own JSON types refuse them.
 */
export class ExactJson<T> extends Type<T, string> {
  override convertToDatabaseValue(value: T): string {
    return JSON.stringify(value);
  }

  override convertToJSValue(value: string): T {
    return JSON.parse(value) as T;
  }

  override getColumnType(): string {
    return 'text';
  }
}

export function isPostgreSql(platform: Platform): boolean {
  return platform.constructor.name.startsWith('Postgre');
}
