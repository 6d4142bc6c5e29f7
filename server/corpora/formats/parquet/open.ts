import type { RowGroup } from 'hyparquet';
import { reasonOf, ServiceError } from '../../../../core/errors.ts';
import { type SourceStorage, type StoredFile, unreadable } from '../../storage/storage.ts';
import { columnsProblem } from '../map-fields.ts';
import type { ParquetThread } from './thread.ts';
import type { ParquetFile, Stretch } from './worker.ts';

/** Bytes of the magic number at both ends of the file, and of the length of the metadata. */
const MAGIC = 4;
const TAIL = 8;
/** Maximum bytes of metadata; parsed they take a multiple of it. */
const MAX_METADATA = 32 * 1024 * 1024;
/** Maximum rows of a row group. */
const MAX_ROWS = 20_000_000;

/** Maximum bytes of the columns of a row group that are read, compressed or not. */
const MAX_BYTES = 1024 * 1024 * 1024;
const TOO_LARGE = `a row group takes more than ${MAX_BYTES} bytes: write it with smaller row groups`;

/** @throws ServiceError `source_unreadable` if it is not Parquet, or its metadata is invalid or too large */
export async function openParquet(
  storage: SourceStorage,
  file: StoredFile,
  thread: ParquetThread,
): Promise<ParquetFile> {
  const tail = await readTail(storage, file);
  try {
    const opened = await thread.open(tail);
    const problem = columnsProblem(opened.names);
    if (problem !== undefined) throw new Error(`it has ${problem}`);
    opened.metadata.row_groups.forEach((group, index) => {
      checkGroup(group, index, file.size - TAIL);
    });
    return opened;
  } catch (error) {
    throw asUnreadable(file, error);
  }
}

/**
 * The bytes of some columns of a row group, in the order of its columns.
 *
 * @param columns names of existing columns
 * @throws ServiceError `source_unreadable`
 */
export async function readColumns(
  storage: SourceStorage,
  file: StoredFile,
  { columns: all }: RowGroup,
  columns: readonly string[],
): Promise<Stretch[]> {
  const stretches: Stretch[] = [];
  let packed = 0;
  for (const { meta_data: column } of all) {
    if (column === undefined || !columns.includes(column.path_in_schema[0] ?? '')) continue;
    const size = Number(column.total_compressed_size);
    const from = Number(column.dictionary_page_offset || column.data_page_offset);
    packed += size;
    if (packed > MAX_BYTES) throw asUnreadable(file, new Error(TOO_LARGE));
    stretches.push({ from, bytes: await readBytes(storage, file, from, from + size) });
  }
  return stretches;
}

/** The whole range of bytes of a file. */
async function readBytes(
  storage: SourceStorage,
  file: StoredFile,
  from: number,
  to: number,
): Promise<Buffer<ArrayBuffer>> {
  const bytes = Buffer.allocUnsafeSlow(to - from);
  let at = 0;
  for await (const piece of storage.read(file, { from, to })) at += piece.copy(bytes, at);
  return bytes.subarray(0, at);
}

export function asUnreadable({ name }: StoredFile, error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return unreadable(name, `it is not Parquet that can be read here: ${reasonOf(error)}`, error);
}

/** The bytes from the beginning of the metadata on. */
async function readTail(storage: SourceStorage, file: StoredFile): Promise<Buffer<ArrayBuffer>> {
  const { name, size } = file;
  if (size < MAGIC + TAIL) throw unreadable(name, 'it is not Parquet: it is too short');
  const tail = await readBytes(storage, file, size - TAIL, size);
  const head = await readBytes(storage, file, 0, MAGIC);
  const magic = tail.toString('latin1', MAGIC);
  if (magic === 'PARE') throw unreadable(name, 'it is encrypted');
  if (magic !== 'PAR1' || head.toString('latin1') !== 'PAR1') {
    throw unreadable(name, 'it is not Parquet: it does not begin and end with PAR1');
  }
  const length = tail.readUInt32LE(0);
  if (length > size - MAGIC - TAIL) throw unreadable(name, 'its metadata would be longer than the file');
  if (length > MAX_METADATA) {
    throw unreadable(name, `its metadata takes ${length} bytes, over the limit of ${MAX_METADATA}`);
  }
  return readBytes(storage, file, size - TAIL - length, size);
}

function checkGroup({ num_rows, columns }: RowGroup, index: number, end: number): void {
  if (num_rows < 0n || num_rows > MAX_ROWS) throw new Error(`row group ${index} would have ${num_rows} rows`);
  for (const { meta_data: column, file_path } of columns) {
    if (column === undefined || file_path !== undefined) {
      throw new Error(`a column of row group ${index} is in another file, or missing`);
    }
    const { dictionary_page_offset, data_page_offset, total_compressed_size } = column;
    const from = dictionary_page_offset || data_page_offset;
    if (from < MAGIC || total_compressed_size < 0n || from + total_compressed_size > end) {
      throw new Error(`a column of row group ${index} is outside the file`);
    }
  }
}
