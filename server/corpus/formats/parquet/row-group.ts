import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import {
  type AsyncBuffer,
  type Compressors,
  parquetRead,
  type RowGroup,
  type SchemaElement,
} from 'hyparquet';
import type { Storage, StoredFile } from '../../storage.ts';
import { asUnreadable, type ParquetFile, readBytes } from './open.ts';
import { checkPages } from './pages.ts';
import { PARSERS } from './values.ts';

/** Most bytes of the columns of a row group that are read, packed or not. */
const MOST_BYTES = 1024 * 1024 * 1024;

/** Those of Node, which are faster than any in JavaScript; of what comes out, no more than was said is taken. */
const COMPRESSORS: Compressors = {
  ZSTD: (bytes, maxOutputLength) => zstdDecompressSync(bytes, { maxOutputLength }),
  GZIP: (bytes, maxOutputLength) => gunzipSync(bytes, { maxOutputLength }),
  BROTLI: (bytes, maxOutputLength) => brotliDecompressSync(bytes, { maxOutputLength }),
};

/** A stretch of a file that is in memory. */
interface Stretch {
  readonly from: number;
  readonly bytes: Buffer;
}

/**
 * The rows of a row group as lists of the values of some columns.
 *
 * @param index of the row group
 * @param columns names of columns that are there
 * @throws ServiceError `source_unreadable`
 */
export async function readRowGroup(
  storage: Storage,
  file: StoredFile,
  { metadata }: ParquetFile,
  index: number,
  columns: readonly string[],
): Promise<readonly (readonly unknown[])[]> {
  const group = metadata.row_groups[index] as RowGroup;
  const stretches = await readColumns(storage, file, group, metadata.schema, columns);
  try {
    // Only this row group is known to be in memory, so it is the only one that there is.
    const only = { ...metadata, row_groups: [group], num_rows: group.num_rows };
    let rows: readonly (readonly unknown[])[] = [];
    await parquetRead({
      file: inMemory(file.size, stretches),
      metadata: only,
      columns: [...columns],
      compressors: COMPRESSORS,
      parsers: PARSERS,
      utf8: false,
      onComplete: (read: unknown[][]) => {
        rows = read;
      },
    });
    return rows;
  } catch (error) {
    throw asUnreadable(file, error);
  }
}

/** Reads what a row group has of some columns, and checks its pages. */
async function readColumns(
  storage: Storage,
  file: StoredFile,
  group: RowGroup,
  schema: readonly SchemaElement[],
  columns: readonly string[],
): Promise<Stretch[]> {
  const stretches: Stretch[] = [];
  let [packed, plain] = [0, 0];
  for (const { meta_data: column } of group.columns) {
    if (column === undefined || !columns.includes(column.path_in_schema[0] ?? '')) continue;
    const size = Number(column.total_compressed_size);
    const from = Number(column.dictionary_page_offset || column.data_page_offset);
    packed += size;
    if (packed > MOST_BYTES) throw asUnreadable(file, tooLarge());
    const bytes = await readBytes(storage, file, from, from + size);
    try {
      plain += checkPages(bytes, column, Number(group.num_rows), isFlat(column.path_in_schema, schema)).bytes;
      if (plain > MOST_BYTES) throw tooLarge();
    } catch (error) {
      throw asUnreadable(file, error);
    }
    stretches.push({ from, bytes });
  }
  return stretches;
}

function tooLarge(): Error {
  return new Error(`a row group takes more than ${MOST_BYTES} bytes: write it with smaller row groups`);
}

/** Whether a column stands in the row itself, and not in a list. */
function isFlat(path: readonly string[], schema: readonly SchemaElement[]): boolean {
  const element = schema.find(({ name }, index) => index > 0 && name === path[0]);
  return path.length === 1 && element?.repetition_type !== 'REPEATED';
}

/** A file of which only some stretches are there; what is between them is never looked at. */
function inMemory(byteLength: number, stretches: readonly Stretch[]): AsyncBuffer {
  return {
    byteLength,
    slice(from, to = byteLength) {
      const bytes = Buffer.alloc(to - from);
      for (const stretch of stretches) {
        const begin = Math.max(from, stretch.from);
        const end = Math.min(to, stretch.from + stretch.bytes.length);
        if (begin < end) stretch.bytes.copy(bytes, begin - from, begin - stretch.from, end - stretch.from);
      }
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    },
  };
}
