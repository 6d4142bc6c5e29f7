import { fromPlainError } from '../../../core/errors.ts';
import type { ShardRange, SourceDocument } from '../shard.ts';
import type { SourceStorage, StoredFile } from '../storage/storage.ts';
import { expansionOf } from './compression.ts';
import { defaultMapping, neededNames, noTextColumn } from './map-fields.ts';
import { asUnreadable, openParquet, readColumns } from './parquet/open.ts';
import { ParquetThread } from './parquet/thread.ts';
import type { ParquetFile, RowLines } from './parquet/worker.ts';
import type { ReadOptions, SourceLines } from './reading.ts';

type RowGroup = ParquetFile['metadata']['row_groups'][number];

/** The bytes of each row group of a file. @throws ServiceError `source_unreadable` */
export async function rowGroupSizes(storage: SourceStorage, file: StoredFile): Promise<readonly number[]> {
  const thread = new ParquetThread();
  try {
    const { metadata } = await openParquet(storage, file, thread);
    return metadata.row_groups.map(sizeOf);
  } finally {
    await thread.close();
  }
}

/** The documents of the rows of some row groups. @throws ServiceError `source_unreadable` */
export async function* readParquet(
  storage: SourceStorage,
  { files, part }: ShardRange,
  options: ReadOptions,
): SourceLines {
  const thread = new ParquetThread();
  try {
    for (const file of files) {
      const opened = await openParquet(storage, file, thread);
      const groups = opened.metadata.row_groups;
      const { from, to } = part ?? { from: 0, to: groups.length };
      const problem = groups.length === 0 ? undefined : noTextColumn(opened.names, options.fields);
      if (problem !== undefined) {
        if (from === 0)
          yield [{ place: { source: file.name }, size: file.size, document: problem, isOfMany: true }];
        continue;
      }
      const count = expansionOf(file, options.limit);
      let row = 0;
      for (const [index, group] of groups.entries()) {
        if (index >= to) break;
        if (index >= from) yield* readGroup({ storage, file, opened, thread, count }, group, row, options);
        row += Number(group.num_rows);
      }
    }
  } finally {
    await thread.close();
  }
}

interface OpenFile {
  readonly storage: SourceStorage;
  readonly file: StoredFile;
  readonly opened: ParquetFile;
  readonly thread: ParquetThread;
  /** Limits the bytes of lines: dictionaries and run lengths can expand a few bytes without bound. */
  count(bytes: number): void;
}

/** Bytes charged for a row that is not a document. */
const FAILED_ROW = 100;

/** @param first the first row of the group in the file */
async function* readGroup(
  { storage, file, opened, thread, count }: OpenFile,
  group: RowGroup,
  first: number,
  { fields, limit }: ReadOptions,
): SourceLines {
  const { names, metadata } = opened;
  const mapping = fields ?? defaultMapping(names);
  const columns = neededNames(mapping, names);
  const share = sizesOf(sizeOf(group), Number(group.num_rows));
  let row = 0;
  try {
    const stretches = await readColumns(storage, file, group, columns);
    // Only this row group is in memory, so the metadata lists no other.
    const only = { ...metadata, row_groups: [group], num_rows: group.num_rows };
    const isStrict = fields !== undefined;
    const task = { metadata: only, size: file.size, columns, stretches, names, mapping, isStrict, limit };
    for await (const lines of thread.lines(task)) {
      const failed = lines.rows.filter((one) => typeof one !== 'number');
      count(lines.bytes.length + FAILED_ROW * failed.length);
      yield documentsOf(lines, (document) => {
        const place = { source: file.name, row: first + row };
        return { place, size: share(row++), document };
      });
    }
  } catch (error) {
    throw asUnreadable(file, error);
  }
}

function documentsOf(
  { bytes, rows }: RowLines,
  made: (document: SourceDocument['document']) => SourceDocument,
): SourceDocument[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  return rows.map((row) => {
    if (typeof row !== 'number') return made(fromPlainError(row));
    const line = all.subarray(at, at + row);
    at += row;
    return made(line);
  });
}

/** Divides bytes among rows, without a remainder. */
function sizesOf(bytes: number, rows: number): (row: number) => number {
  const upTo = (row: number) => Math.floor((row * bytes) / rows);
  return (row) => upTo(row + 1) - upTo(row);
}

function sizeOf({ columns }: Pick<RowGroup, 'columns'>): number {
  return columns.reduce((sum, { meta_data }) => sum + Number(meta_data?.total_compressed_size ?? 0), 0);
}
