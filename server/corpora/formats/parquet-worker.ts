import { type MessagePort, parentPort } from 'node:worker_threads';
import { type AsyncBuffer, type FileMetaData, parquetMetadata, parquetRead, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { invalid, type PlainError, reasonOf, ServiceError, toPlainError } from '../../../core/errors.ts';
import {
  DECOMPRESSORS,
  EXACT_PARSERS,
  toJson as jsonOf,
  PARSERS,
  textOrBytes,
  withExactLeaves,
} from '../../../plugins/toolkit/parquet/index.ts';
import { BEGUN } from '../../engine/run/guarded-thread.ts';
import type { FieldMapping } from '../shard.ts';
import { mapRow, orError, type Row } from './map-fields.ts';

export interface ParquetFile {
  readonly metadata: FileMetaData;
  readonly names: readonly string[];
}

export interface Stretch {
  readonly from: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A row group to convert to lines, with its selected columns in memory. Plain data for another thread. */
export interface RowsTask {
  readonly metadata: FileMetaData;
  readonly size: number;
  readonly columns: readonly string[];
  /** The bytes of the columns, from `readColumns`. */
  readonly stretches: readonly Stretch[];
  readonly names: readonly string[];
  readonly mapping: FieldMapping;
  readonly isStrict: boolean;
  readonly limit: number;
}

/** Consecutive lines of documents: the length of each line, or the error of its row. */
export interface RowLines {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly rows: readonly (number | PlainError)[];
}

/** The metadata of a file to open, a row group to convert, or a request for more lines of that row group. */
export type ParquetQuestion = { readonly open: Uint8Array<ArrayBuffer> } | RowsTask | 'more';

export type ParquetAnswer =
  | ParquetFile
  | { readonly lines: RowLines }
  | { readonly done: true }
  | { readonly problem: string };

const port = parentPort as MessagePort;
let lines: AsyncGenerator<RowLines> | undefined;

port.on('message', async (question: ParquetQuestion) => {
  port.postMessage(BEGUN);
  const answer = await answerTo(question).catch((error: unknown) => ({ problem: reasonOf(error) }));
  port.postMessage(answer, 'lines' in answer ? [answer.lines.bytes.buffer] : []);
});

async function answerTo(question: ParquetQuestion): Promise<ParquetAnswer> {
  if (question !== 'more' && 'open' in question) {
    const metadata = parquetMetadata(question.open.buffer, { parsers: PARSERS, geoparquet: false });
    return { metadata, names: parquetSchema(metadata).children.map(({ element }) => element.name) };
  }
  if (question !== 'more') lines = rowLines(question);
  const next = await lines?.next();
  return next === undefined || next.done ? { done: true } : { lines: next.value };
}

const TOGETHER = 256 * 1024;

/** Yields the lines of a row group in row order. @throws Error if the Parquet is not valid */
async function* rowLines(task: RowsTask): AsyncGenerator<RowLines> {
  const indexes = new Map(task.columns.map((name, index) => [name, index]));
  let lines: Buffer[] = [];
  let rows: (number | PlainError)[] = [];
  let bytes = 0;
  for (const values of await decodeRows(task)) {
    const line = orError(() => lineOf((name) => values[indexes.get(name) ?? -1], task));
    if (Buffer.isBuffer(line)) lines.push(line);
    rows.push(Buffer.isBuffer(line) ? line.length : toPlainError(line));
    bytes += Buffer.isBuffer(line) ? line.length : 0;
    if (bytes < TOGETHER) continue;
    yield { bytes: new Uint8Array(Buffer.concat(lines)), rows };
    lines = [];
    rows = [];
    bytes = 0;
  }
  if (rows.length > 0) yield { bytes: new Uint8Array(Buffer.concat(lines)), rows };
}

function lineOf(read: (name: string) => unknown, { names, mapping, isStrict, limit }: RowsTask): Buffer {
  const value = (name: string) => {
    const found = read(name) ?? undefined;
    return found instanceof Uint8Array ? textOrBytes(found) : found;
  };
  const row: Row = { names, value, json: (name) => Buffer.from(toJson(value(name), name)) };
  const line = mapRow(row, mapping, isStrict);
  if (line.length <= limit) return line;
  throw new ServiceError('line_too_large', { what: 'The row', limit });
}

async function decodeRows({ metadata, size, columns, stretches }: RowsTask) {
  let rows: readonly (readonly unknown[])[] = [];
  await parquetRead({
    file: inMemory(size, stretches),
    metadata: { ...metadata, schema: withExactLeaves(metadata.schema) },
    columns: [...columns],
    compressors: { ...compressors, ...DECOMPRESSORS },
    parsers: { ...PARSERS, ...EXACT_PARSERS },
    utf8: false,
    onComplete: (read: unknown[][]) => {
      rows = read;
    },
  });
  return rows;
}

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

function toJson(value: unknown, name: string): string {
  return jsonOf(value, (what) => notJson(name, what));
}

function notJson(name: string, what: string): ServiceError {
  return invalid(
    `${name}: it holds ${what}, which JSON cannot represent; exclude it by naming the metadata to keep`,
  );
}
