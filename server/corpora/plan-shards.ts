import { ServiceError } from '../../core/errors.ts';
import { isCompressed, uncompressedName } from './formats/compression.ts';
import { rowGroupSizes } from './formats/parquet.ts';
import type { SourceLocation } from './jobs/spec.ts';
import type { Format, ShardRange } from './shard.ts';
import { type SourceStorage, type StoredFile, unreadable } from './storage/storage.ts';

const MEGABYTE = 1_000_000;
const SHARD_BYTES = 32 * MEGABYTE;
const SHARD_DOCUMENTS = 10_000;

/** Formats by file name. All other files are `files`, and with `auto` also CSV. */
const ENDINGS: Readonly<Record<Exclude<Format, 'files'>, RegExp>> = {
  jsonl: /\.(jsonl|ndjson)$/i,
  csv: /\.(csv|tsv|tab)$/i,
  parquet: /\.parquet$/i,
};

export type PlanOptions = SourceLocation['from'] & {
  /** `auto` decides by file name. `jsonl`, `csv` and `parquet` exclude all other files of a folder. */
  readonly format: Format | 'auto';
  /** Maximum bytes of a part; as a function, asked for each part. */
  readonly shardBytes?: number | (() => number) | undefined;
  readonly shardDocuments?: number | undefined;
  /** Whether shards keep the order of the files. Default: false, so that `files` shards become fuller. */
  readonly isInOrder?: boolean;
};

export function shardBytesFor(total: number, workers: number): number {
  return Math.min(Math.max(Math.ceil(total / (8 * workers)), MEGABYTE), SHARD_BYTES);
}

/**
 * Divides a source into parts that can be read independently. Always gives the same parts.
 *
 * @throws ServiceError `source_unreadable` if the source is empty
 */
export async function* planShards(storage: SourceStorage, options: PlanOptions): AsyncGenerator<ShardRange> {
  const { shardBytes = SHARD_BYTES, shardDocuments = SHARD_DOCUMENTS, isInOrder = false } = options;
  let group: StoredFile[] = [];
  let bytes = 0;
  for await (const file of filesOf(storage, options)) {
    const format = file.unread === undefined ? formatFor(file, options) : 'files';
    const isFull = group.length === shardDocuments || bytes + file.size > bytesOf(shardBytes);
    if (group.length > 0 && (format === 'files' ? isFull : isInOrder)) {
      yield { format: 'files', files: group, bytes };
      group = [];
      bytes = 0;
    }
    if (format === 'files') {
      group.push(file);
      bytes += file.size;
    } else yield* partsOf(storage, file, format, shardBytes);
  }
  if (group.length > 0) yield { format: 'files', files: group, bytes };
}

async function* filesOf(storage: SourceStorage, options: PlanOptions): AsyncGenerator<StoredFile> {
  if ('files' in options) {
    yield* options.files;
    return;
  }
  const { path, format } = options;
  const file = path === '' ? undefined : await storage.find(path);
  if (file !== undefined) {
    yield file;
    return;
  }
  const ending = format === 'auto' || format === 'files' ? undefined : ENDINGS[format];
  let isThere = false;
  let isTaken = false;
  for await (const one of storage.list(path)) {
    isThere = true;
    if (ending !== undefined && !isMeant(one, ending)) continue;
    isTaken = true;
    yield one;
  }
  const name = path === '' ? storage.label : path;
  if (!isThere) throw unreadable(name, 'there is no such file, or folder with files');
  if (!isTaken) throw unreadable(name, `it contains no files named like ${format}`);
}

function isMeant({ name, unread }: StoredFile, ending: RegExp): boolean {
  return ending.test(uncompressedName(name)) || (unread !== undefined && name.endsWith('/'));
}

function formatFor({ name }: StoredFile, { format }: PlanOptions): Format {
  return format === 'auto' ? formatOf(name) : format;
}

export function formatOf(name: string): Format {
  if (ENDINGS.parquet.test(name)) return 'parquet';
  return ENDINGS.jsonl.test(uncompressedName(name)) ? 'jsonl' : 'files';
}

async function* partsOf(
  storage: SourceStorage,
  file: StoredFile,
  format: Exclude<Format, 'files'>,
  shardBytes: number | (() => number),
): AsyncGenerator<ShardRange> {
  if (format === 'parquet') {
    const sizes = await rowGroupSizes(storage, file).catch(unlessUnreadable);
    if (sizes === undefined) yield { format, files: [file], bytes: file.size };
    else yield* rowGroupParts(file, sizes, bytesOf(shardBytes));
  } else if (format === 'csv' || isCompressed(file.name)) yield { format, files: [file], bytes: file.size };
  else {
    for (const part of typeof shardBytes === 'number'
      ? equalParts(file.size, shardBytes)
      : partsBy(shardBytes, file.size))
      yield { format, files: [file], part, bytes: part.to - part.from };
  }
}

const bytesOf = (shardBytes: number | (() => number)): number =>
  typeof shardBytes === 'number' ? shardBytes : shardBytes();

function* equalParts(size: number, most: number): Generator<NonNullable<ShardRange['part']>> {
  const count = Math.ceil(size / most);
  const bound = (index: number) => Math.floor((index * size) / count);
  for (let index = 0; index < count; index++) yield { from: bound(index), to: bound(index + 1) };
}

function* partsBy(most: () => number, size: number): Generator<NonNullable<ShardRange['part']>> {
  for (let from = 0; from < size; ) {
    const to = Math.min(from + most(), size);
    yield { from, to };
    from = to;
  }
}

/** Ignores damage here: it is reported when the file is read, so that other files are not affected. */
function unlessUnreadable(error: unknown): undefined {
  if (!(error instanceof ServiceError) || error.code !== 'source_unreadable') throw error;
}

function* rowGroupParts(
  file: StoredFile,
  sizes: readonly number[],
  shardBytes: number,
): Generator<ShardRange> {
  let from = 0;
  let bytes = 0;
  for (const [index, size] of sizes.entries()) {
    if (index > from && bytes + size > shardBytes) {
      yield { format: 'parquet', files: [file], part: { from, to: index }, bytes };
      from = index;
      bytes = 0;
    }
    bytes += size;
  }
  if (from < sizes.length)
    yield { format: 'parquet', files: [file], part: { from, to: sizes.length }, bytes };
}
