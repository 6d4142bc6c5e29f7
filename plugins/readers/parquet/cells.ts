import type { SchemaElement } from 'hyparquet';
import { ExactJson, textOrBytes, toJson } from '../../toolkit/parquet/index.ts';

export interface CellWriter {
  /** The text of a value of a column. */
  write(value: unknown, column: number): string;
  /** How many values were bytes that are not text. */
  readonly binary: number;
}

/** Writes values: text and numbers as they are, dates in ISO 8601, lists and structures as JSON, nulls as nothing. */
export function createCellWriter(columns: readonly SchemaElement[]): CellWriter {
  const isDate = columns.map(
    ({ converted_type: type, logical_type: logical }) => type === 'DATE' || logical?.type === 'DATE',
  );
  let binary = 0;
  /** A value that JSON can represent. */
  const plain = (value: unknown): unknown => {
    if (value instanceof Uint8Array) {
      const text = textOrBytes(value);
      if (typeof text === 'string' && !CONTROL.test(text)) return text;
      binary++;
      return `(${value.length} bytes)`;
    }
    if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? '(out of range)' : value;
    if (value instanceof ExactJson || typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value) || ArrayBuffer.isView(value))
      return Array.from(value as ArrayLike<unknown>, plain);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
  };
  return {
    get binary() {
      return binary;
    },
    write(value, column) {
      const written = plain(value);
      if (written === null || written === undefined) return '';
      if (written instanceof Date) return dateText(written, isDate[column] === true);
      if (typeof written === 'object' && !(written instanceof ExactJson))
        return toJson(written, (what) => new Error(`JSON cannot represent ${what}`));
      return Object.is(written, -0) ? '-0' : String(written).toWellFormed();
    },
  };
}

/** Control characters, which bytes that are not text have, such as geometries. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const CONTROL = /[\u0000-\u0008\u000e-\u001f]/;

function dateText(date: Date, isDay: boolean): string {
  const text = date.toISOString().replace('.000Z', 'Z');
  return isDay ? text.replace('T00:00:00Z', '') : text;
}
