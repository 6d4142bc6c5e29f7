import type { FileMetaData, RowGroup } from 'hyparquet';
import type { SourceStorage, StoredFile } from '../../storage/storage.ts';
import { asUnreadable, readBytes } from './open.ts';
import type { Stretch } from './row-group.ts';

/** Maximum bytes of the columns of a row group that are read, compressed or not. */
const MOST_BYTES = 1024 * 1024 * 1024;

/**
 * The bytes of some columns of a row group, in the order of its columns.
 *
 * @param columns names of existing columns
 * @throws ServiceError `source_unreadable`
 */
export async function readColumns(
  storage: SourceStorage,
  file: StoredFile,
  group: FileMetaData['row_groups'][number],
  columns: readonly string[],
): Promise<Stretch[]> {
  const stretches: Stretch[] = [];
  let packed = 0;
  for (const column of columnsOf(group, columns)) {
    const size = Number(column.total_compressed_size);
    const from = Number(column.dictionary_page_offset || column.data_page_offset);
    packed += size;
    if (packed > MOST_BYTES) throw asUnreadable(file, tooLarge());
    stretches.push({ from, bytes: await readBytes(storage, file, from, from + size) });
  }
  return stretches;
}

/** The metadata of the columns that are read. */
function columnsOf({ columns }: RowGroup, names: readonly string[]) {
  return columns.flatMap(({ meta_data }) =>
    meta_data !== undefined && names.includes(meta_data.path_in_schema[0] ?? '') ? [meta_data] : [],
  );
}

function tooLarge(): Error {
  return new Error(`a row group takes more than ${MOST_BYTES} bytes: write it with smaller row groups`);
}
