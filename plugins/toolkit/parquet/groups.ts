/** A row group in the metadata of a Parquet file, as hyparquet reads it. */
interface RowGroup {
  readonly num_rows: bigint;
  readonly columns: readonly {
    readonly file_path?: string | undefined;
    readonly meta_data?:
      | {
          readonly dictionary_page_offset?: bigint | undefined;
          readonly data_page_offset: bigint;
          readonly total_compressed_size: bigint;
        }
      | undefined;
  }[];
}

const MAX_ROWS = 20_000_000;
/** Bytes of the magic number at the start of a file. */
const MAGIC = 4;

/**
 * Why row groups cannot be read, as a clause; undefined if all are within the file.
 *
 * @param end offset in the file after which there are no row groups
 */
export function problemOfGroups(groups: readonly RowGroup[], end: number): string | undefined {
  for (const [index, { num_rows: rows, columns }] of groups.entries()) {
    if (rows < 0n || rows > MAX_ROWS) return `row group ${index} would have ${rows} rows`;
    for (const { meta_data: column, file_path: path } of columns) {
      if (column === undefined || path !== undefined)
        return `a column of row group ${index} is in another file, or missing`;
      const {
        dictionary_page_offset: dictionary,
        data_page_offset: data,
        total_compressed_size: size,
      } = column;
      const from = dictionary || data;
      if (from < MAGIC || size < 0n || from + size > end)
        return `a column of row group ${index} is outside the file`;
    }
  }
  return undefined;
}
