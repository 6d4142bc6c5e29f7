import { type AsyncBuffer, type FileMetaData, parquetRead, parquetSchema, type SchemaTree } from 'hyparquet';
import { COMPRESSORS } from './decompress.ts';
import { type ColumnShape, checkPages } from './pages.ts';
import { columnsOf, MOST_BYTES, type Stretch } from './read-columns.ts';
import { PARSERS } from './values.ts';

/** A row group of which some columns are in memory. */
export interface LoadedGroup {
  /** Those of a file that has this row group alone. */
  readonly metadata: FileMetaData;
  /** Bytes of the file. */
  readonly size: number;
  /** Names of the columns that are read. */
  readonly columns: readonly string[];
  /** From `readColumns`. */
  readonly stretches: readonly Stretch[];
}

/**
 * The rows of a row group as lists of the values of its columns, after its pages were checked.
 *
 * @throws Error if it is no valid Parquet, or too large
 */
export async function decodeRows({
  metadata,
  size,
  columns,
  stretches,
}: LoadedGroup): Promise<readonly (readonly unknown[])[]> {
  checkColumns(metadata, columns, stretches);
  let rows: readonly (readonly unknown[])[] = [];
  await parquetRead({
    file: inMemory(size, stretches),
    metadata,
    columns: [...columns],
    compressors: COMPRESSORS,
    parsers: PARSERS,
    utf8: false,
    onComplete: (read: unknown[][]) => {
      rows = read;
    },
  });
  return rows;
}

function checkColumns(
  metadata: FileMetaData,
  columns: readonly string[],
  stretches: readonly Stretch[],
): void {
  const tree = parquetSchema(metadata);
  const group = metadata.row_groups[0] as FileMetaData['row_groups'][number];
  const rows = Number(group.num_rows);
  let plain = 0;
  for (const [index, column] of columnsOf(group, columns).entries()) {
    const { bytes } = stretches[index] as Stretch;
    const shape = shapeOf(column.path_in_schema, tree);
    plain += checkPages(Buffer.from(bytes.buffer), column, shape, { rows, bytes: MOST_BYTES - plain });
  }
}

/** How a column stands in the rows. */
function shapeOf(path: readonly string[], tree: SchemaTree): ColumnShape {
  let [node, repetition, definition]: [SchemaTree | undefined, number, number] = [tree, 0, 0];
  for (const name of path) {
    node = node.children.find(({ element }) => element.name === name);
    if (node === undefined) throw new Error(`its schema has no column ${path.join('.')}`);
    if (node.element.repetition_type === 'REPEATED') repetition++;
    if (node.element.repetition_type !== 'REQUIRED') definition++;
  }
  return { isFlat: path.length === 1 && repetition === 0, repetition, definition };
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
        if (begin < end)
          bytes.set(stretch.bytes.subarray(begin - stretch.from, end - stretch.from), begin - from);
      }
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    },
  };
}
