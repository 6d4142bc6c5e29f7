import type { RowGroup } from 'hyparquet';
import { fromPlainError, reasonOf, ServiceError } from '../../../core/errors.ts';
import { problemOfGroups } from '../../../plugins/toolkit/parquet/index.ts';
import { MODULE_ENDING } from '../../config/module-ending.ts';
import { GuardedThread } from '../../engine/run/guarded-thread.ts';
import type { ReadOptions, ShardRange, SourceDocument, SourceLines } from '../shard.ts';
import { type SourceStorage, type StoredFile, unreadable } from '../storage/storage.ts';
import { expansionOf } from './compression.ts';
import { columnsProblem, defaultMapping, neededNames, noTextColumn } from './map-fields.ts';
import type { ParquetAnswer, ParquetFile, RowLines, RowsTask, Stretch } from './parquet-worker.ts';

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

/** Reads the documents in the rows of some row groups of a file. @throws ServiceError `source_unreadable` */
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
  /** Limits the total bytes of lines: dictionaries and run lengths can expand a few bytes without bound. */
  count(bytes: number): void;
}

const FAILED_ROW = 100;

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
    // The metadata for the worker lists only this row group, because no other row group is in memory.
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

function sizesOf(bytes: number, rows: number): (row: number) => number {
  const upTo = (row: number) => Math.floor((row * bytes) / rows);
  return (row) => upTo(row + 1) - upTo(row);
}

function sizeOf({ columns }: Pick<RowGroup, 'columns'>): number {
  return columns.reduce((sum, { meta_data }) => sum + Number(meta_data?.total_compressed_size ?? 0), 0);
}

/** Bytes of the magic number at both ends of a file. `TAIL` also includes the length of the metadata. */
const MAGIC = 4;
const TAIL = 8;
/** Maximum bytes of metadata. Parsed metadata takes several times as much memory. */
const MAX_METADATA = 32 * 1024 * 1024;

/** Maximum bytes that are read from a row group, compressed or not. */
const MAX_BYTES = 1024 * 1024 * 1024;
const TOO_LARGE = `a row group takes more than ${MAX_BYTES} bytes: write it with smaller row groups`;

/** @throws ServiceError `source_unreadable` if the file is invalid or its metadata is too large */
async function openParquet(
  storage: SourceStorage,
  file: StoredFile,
  thread: ParquetThread,
): Promise<ParquetFile> {
  const tail = await readTail(storage, file);
  try {
    const opened = await thread.open(tail);
    const problem = columnsProblem(opened.names);
    if (problem !== undefined) throw new Error(`it has ${problem}`);
    const ofGroup = problemOfGroups(opened.metadata.row_groups, file.size - TAIL);
    if (ofGroup !== undefined) throw new Error(ofGroup);
    return opened;
  } catch (error) {
    throw asUnreadable(file, error);
  }
}

/**
 * Reads some columns of a row group, in the order in which the row group stores them.
 *
 * @param columns names of existing columns
 * @throws ServiceError `source_unreadable`
 */
async function readColumns(
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

function asUnreadable({ name }: StoredFile, error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return unreadable(name, `it is not Parquet that can be read here: ${reasonOf(error)}`, error);
}

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

/** Limits for decoding a row group: bytes of memory, and milliseconds. */
const LIMITS = { memory: 3_221_225_472, time: 120_000 };

/** Minimum time limit in milliseconds, for small row groups. Decoding a damaged row group may never end. */
const MIN_TIME = 10_000;
/** Milliseconds per byte and per row, generous even for slow machines. */
const SLOW = { byte: 1 / 1000, row: 1 / 20 };

/** An idle thread for reuse, because starting a thread takes longer than decoding a small file. */
let idle: GuardedThread<ParquetAnswer> | undefined;

class ParquetThread {
  readonly #thread: GuardedThread<ParquetAnswer>;

  constructor() {
    this.#thread =
      idle ?? new GuardedThread(new URL(`./parquet-worker${MODULE_ENDING}`, import.meta.url), LIMITS);
    idle = undefined;
  }

  /** @param tail bytes of the file from the start of its metadata @throws Error if `tail` is invalid */
  async open(tail: Uint8Array<ArrayBuffer>): Promise<ParquetFile> {
    const answer = await this.#ask({ open: tail }, [tail.buffer]);
    if ('metadata' in answer) return answer;
    throw new Error('the thread gave an unexpected answer');
  }

  /** Converts a row group. Transfers the memory of `task`. @throws Error if the Parquet is not valid */
  async *lines(task: RowsTask): AsyncGenerator<RowLines> {
    const moved = task.stretches.map(({ bytes }) => bytes.buffer);
    let answer = await this.#ask(task, moved, timeFor(task));
    while ('lines' in answer) {
      yield answer.lines;
      answer = await this.#ask('more');
    }
  }

  async close(): Promise<void> {
    if (this.#thread.isOver || idle !== undefined) await this.#thread.close();
    else idle = this.#thread;
  }

  async #ask(
    message: unknown,
    moved: readonly ArrayBuffer[] = [],
    time: number = LIMITS.time,
  ): Promise<ParquetAnswer> {
    const answer = await this.#thread.ask(message, moved, time);
    if ('problem' in answer) throw new Error(answer.problem);
    return answer;
  }
}

function timeFor({ stretches, metadata }: RowsTask): number {
  const bytes = stretches.reduce((sum, one) => sum + one.bytes.length, 0);
  return MIN_TIME + bytes * SLOW.byte + Number(metadata.num_rows) * SLOW.row;
}
