import { type PlainError, ServiceError, toPlainError } from '../../../../core/errors.ts';
import type { FieldMapping } from '../../shard.ts';
import { mapRow, type Row } from '../map-fields.ts';
import { decodeRows, type LoadedGroup } from './row-group.ts';
import { textOrBytes, toJson } from './values.ts';

/** A row group whose rows become lines. Plain data that is sent to another thread. */
export interface RowsTask {
  readonly group: LoadedGroup;
  /** Names of all columns of the file. */
  readonly names: readonly string[];
  readonly mapping: FieldMapping;
  /** Whether a missing mapped id in a row is an error. */
  readonly isStrict: boolean;
  /** Maximum bytes of a line. */
  readonly limit: number;
}

/** Consecutive lines of documents: their lengths, or the errors of rows. */
export interface RowLines {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly rows: readonly (number | PlainError)[];
}

/** Bytes of lines that are returned at once. */
const TOGETHER = 256 * 1024;

/** The lines of a row group, in the order of its rows. @throws Error if it is not valid Parquet */
export async function* rowLines({ group, ...task }: RowsTask): AsyncGenerator<RowLines> {
  const values = await decodeRows(group);
  const indexes = new Map(group.columns.map((name, index) => [name, index]));
  let lines: Buffer[] = [];
  let rows: (number | PlainError)[] = [];
  let bytes = 0;
  for (const row of values) {
    const line = lineOf(row, indexes, task);
    if (Buffer.isBuffer(line)) lines.push(line);
    rows.push(Buffer.isBuffer(line) ? line.length : line);
    bytes += Buffer.isBuffer(line) ? line.length : 0;
    if (bytes < TOGETHER) continue;
    yield { bytes: new Uint8Array(Buffer.concat(lines)), rows };
    [lines, rows, bytes] = [[], [], 0];
  }
  if (rows.length > 0) yield { bytes: new Uint8Array(Buffer.concat(lines)), rows };
}

function lineOf(
  values: readonly unknown[],
  indexes: ReadonlyMap<string, number>,
  { names, mapping, isStrict, limit }: Omit<RowsTask, 'group'>,
): Buffer | PlainError {
  const value = (name: string) => {
    const found = values[indexes.get(name) ?? -1] ?? undefined;
    return found instanceof Uint8Array ? textOrBytes(found) : found;
  };
  const row: Row = { names, value, json: (name) => Buffer.from(toJson(value(name), name)) };
  try {
    const line = mapRow(row, mapping, isStrict);
    if (line.length <= limit) return line;
    return toPlainError(new ServiceError('line_too_large', { what: 'The row', limit }));
  } catch (error) {
    if (error instanceof ServiceError) return toPlainError(error);
    throw error;
  }
}
