import { ServiceError } from '../../../core/errors.ts';
import type { ShardRange, SourceDocument } from '../shard.ts';
import type { Storage, StoredFile } from '../storage.ts';
import { defaultMapping, mapRow, neededNames, type Row } from './map-fields.ts';
import { openParquet, type ParquetFile } from './parquet/open.ts';
import { readRowGroup } from './parquet/row-group.ts';
import { textOrBytes, toJson } from './parquet/values.ts';
import type { ReadOptions, SourceLines } from './reading.ts';

/** Rows that become lines at once. */
const TOGETHER = 32;

/** The bytes of each row group of a file. @throws ServiceError `source_unreadable` */
export async function rowGroupSizes(storage: Storage, file: StoredFile): Promise<readonly number[]> {
  const { metadata } = await openParquet(storage, file);
  return metadata.row_groups.map(sizeOf);
}

/** The documents of the rows of some row groups. @throws ServiceError `source_unreadable` */
export async function* readParquet(
  storage: Storage,
  { files, part }: ShardRange,
  options: ReadOptions,
): SourceLines {
  for (const file of files) {
    const opened = await openParquet(storage, file);
    const groups = opened.metadata.row_groups;
    const { from, to } = part ?? { from: 0, to: groups.length };
    let row = 0;
    for (const [index, group] of groups.entries()) {
      if (index >= to) break;
      if (index >= from) yield* readGroup(storage, file, opened, { index, row }, options);
      row += Number(group.num_rows);
    }
  }
}

/** @param at the row group, and its first row in the file */
async function* readGroup(
  storage: Storage,
  file: StoredFile,
  opened: ParquetFile,
  at: { readonly index: number; readonly row: number },
  options: ReadOptions,
): SourceLines {
  const { names, metadata } = opened;
  const mapping = options.fields ?? defaultMapping(names);
  const needed = neededNames(mapping, names);
  const rows = await readRowGroup(storage, file, opened, at.index, needed);
  const group = metadata.row_groups[at.index];
  const bytes = group === undefined ? 0 : sizeOf(group);
  const upTo = (index: number) => Math.floor((index * bytes) / rows.length);
  for (let from = 0; from < rows.length; from += TOGETHER) {
    yield rows.slice(from, from + TOGETHER).map((values, offset): SourceDocument => {
      const index = from + offset;
      const row = rowOf(names, needed, values);
      return {
        place: { source: file.name, row: at.row + index },
        size: upTo(index + 1) - upTo(index),
        document: lineOf(() => mapRow(row, mapping, options.fields !== undefined), options.limit),
      };
    });
  }
}

function rowOf(names: readonly string[], needed: readonly string[], values: readonly unknown[]): Row {
  const value = (name: string) => {
    const found = values[needed.indexOf(name)] ?? undefined;
    return found instanceof Uint8Array ? textOrBytes(found) : found;
  };
  return { names, value, json: (name) => Buffer.from(toJson(value(name), name)) };
}

function lineOf(map: () => Buffer, limit: number): Buffer | ServiceError {
  try {
    const line = map();
    return line.length <= limit ? line : new ServiceError('line_too_large', { what: 'The row', limit });
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

function sizeOf({ columns }: ParquetFile['metadata']['row_groups'][number]): number {
  return columns.reduce((sum, { meta_data }) => sum + Number(meta_data?.total_compressed_size ?? 0), 0);
}
