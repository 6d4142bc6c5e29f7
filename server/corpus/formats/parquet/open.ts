import { type FileMetaData, parquetMetadata, type RowGroup } from 'hyparquet';
import { reasonOf, ServiceError } from '../../../../core/errors.ts';
import type { Storage, StoredFile } from '../../storage.ts';
import { unreadable } from '../../unreadable.ts';
import { ThriftReader } from './thrift.ts';
import { PARSERS } from './values.ts';

/** Bytes of the file's own name of its format at both of its ends, and of the length of the metadata. */
const MAGIC = 4;
const TAIL = 8;
/** Most bytes of metadata; parsed they take a multiple of it. */
const MOST_METADATA = 32 * 1024 * 1024;
/** Most rows of a row group. */
const MOST_ROWS = 20_000_000;

/** A file of Parquet whose metadata agree with it. */
export interface ParquetFile {
  readonly metadata: FileMetaData;
  /** Of the columns of its rows; each once. */
  readonly names: readonly string[];
}

/** @throws ServiceError `source_unreadable` if it is no Parquet, or its metadata are wrong or too large */
export async function openParquet(storage: Storage, file: StoredFile): Promise<ParquetFile> {
  const metadata = await readMetadata(storage, file);
  return inWords(file, () => {
    // The first element of the schema stands for the row.
    const names = topLevelNames(metadata);
    metadata.row_groups.forEach((group, index) => {
      checkGroup(group, index, file.size - TAIL);
    });
    return { metadata, names };
  });
}

/** The range of bytes of a file, whole. */
export async function readBytes(
  storage: Storage,
  file: StoredFile,
  from: number,
  to: number,
): Promise<Buffer<ArrayBuffer>> {
  const bytes = Buffer.allocUnsafeSlow(to - from);
  let at = 0;
  for await (const piece of storage.read(file, { from, to })) at += piece.copy(bytes, at);
  return bytes.subarray(0, at);
}

/** Has what is wrong with a file said as the error of this file. */
function inWords<T>(file: StoredFile, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asUnreadable(file, error);
  }
}

export function asUnreadable({ name }: StoredFile, error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return unreadable(name, `it is no Parquet that can be read here: ${reasonOf(error)}`, error);
}

async function readMetadata(storage: Storage, file: StoredFile): Promise<FileMetaData> {
  const { name, size } = file;
  if (size < MAGIC + TAIL) throw unreadable(name, 'it is no Parquet: it is too short');
  const tail = await readBytes(storage, file, size - TAIL, size);
  const head = await readBytes(storage, file, 0, MAGIC);
  const magic = tail.toString('latin1', MAGIC);
  if (magic === 'PARE') throw unreadable(name, 'it is encrypted');
  if (magic !== 'PAR1' || head.toString('latin1') !== 'PAR1') {
    throw unreadable(name, 'it is no Parquet: it does not begin and end with PAR1');
  }
  const length = tail.readUInt32LE(0);
  if (length > size - MAGIC - TAIL) throw unreadable(name, 'its metadata would be longer than the file');
  if (length > MOST_METADATA) {
    throw unreadable(name, `its metadata take ${length} bytes, over the limit of ${MOST_METADATA}`);
  }
  const bytes = await readBytes(storage, file, size - TAIL - length, size);
  return inWords(file, () => {
    new ThriftReader(bytes.subarray(0, length), 0).struct();
    return parquetMetadata(new Uint8Array(bytes), { parsers: PARSERS, geoparquet: false });
  });
}

/** The names of the columns of a row, some of which have columns of their own. */
function topLevelNames({ schema }: FileMetaData): string[] {
  const names: string[] = [];
  // How many more elements stand at each level that is not complete.
  const open = [schema[0]?.num_children ?? 0];
  for (const { name, num_children = 0 } of schema.slice(1)) {
    while (open.length > 1 && open.at(-1) === 0) open.pop();
    if (open.length === 1) names.push(name);
    open[open.length - 1] = (open.at(-1) ?? 0) - 1;
    if (num_children > 0) open.push(num_children);
    if (open[0] !== undefined && open[0] < 0) throw new Error('its schema has more columns than it says');
  }
  if (open.some((left) => left !== 0)) throw new Error('its schema has fewer columns than it says');
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new Error(`it has the column ${twice} twice`);
  return names;
}

function checkGroup({ num_rows, columns }: RowGroup, index: number, end: number): void {
  if (num_rows < 0n || num_rows > MOST_ROWS)
    throw new Error(`row group ${index} would have ${num_rows} rows`);
  for (const { meta_data: column, file_path } of columns) {
    if (column === undefined || file_path !== undefined) {
      throw new Error(`a column of row group ${index} is in another file, or nowhere`);
    }
    const { dictionary_page_offset, data_page_offset, total_compressed_size } = column;
    const from = dictionary_page_offset || data_page_offset;
    if (from < MAGIC || total_compressed_size < 0n || from + total_compressed_size > end) {
      throw new Error(`a column of row group ${index} is outside of the file`);
    }
  }
}
