import { ServiceError } from '../../core/errors.ts';
import { readCsv } from './formats/csv.ts';
import { readFiles } from './formats/files.ts';
import { readJsonLines } from './formats/jsonl.ts';
import { readParquet } from './formats/parquet.ts';
import type { ReadOptions } from './formats/reading.ts';
import type { Format, ShardRange, Skip, SourceDocument, SourceLine } from './shard.ts';
import type { SourceStorage } from './storage/storage.ts';

export interface ReadDocumentsOptions extends ReadOptions {
  /** Called for each file that is skipped. */
  onSkipped(skip: Skip): void;
}

/**
 * Reads the documents of a shard, see `readShard`, without files that are not documents. If a file of lines or rows
 * cannot be read further, the error becomes one more document after those read from it, and other files are not
 * affected.
 */
export async function* readDocuments(
  storage: SourceStorage,
  range: ShardRange,
  { onSkipped, ...options }: ReadDocumentsOptions,
): AsyncGenerator<readonly SourceDocument[]> {
  try {
    for await (const lines of readShard(storage, range, options)) {
      for (const line of lines) if ('skipped' in line) onSkipped(line);
      const documents = lines.filter((line) => 'document' in line);
      if (documents.length > 0) yield documents;
    }
  } catch (error) {
    const [{ name: source } = { name: undefined }] = range.files;
    if (source === undefined || !(error instanceof ServiceError) || error.code !== 'source_unreadable')
      throw error;
    yield [{ place: { source }, size: 0, document: error, isOfMany: true }];
  }
}

/** Bytes of documents that are returned at once. */
const BATCH_BYTES = 256 * 1024;
/** Maximum documents that are returned at once, however small they are. */
const BATCH_DOCUMENTS = 1000;

const READERS: Readonly<Record<Format, typeof readFiles>> = {
  files: readFiles,
  jsonl: readJsonLines,
  csv: readCsv,
  parquet: readParquet,
};

/**
 * Reads the documents of a shard in order, in batches of about 256 KB. The error of a document takes its place.
 *
 * @throws ServiceError `source_changed`, `source_unreadable` or `storage_failed`, after which the shard cannot be
 *   read further
 * @throws the signal's reason once it aborts
 */
export async function* readShard(
  storage: SourceStorage,
  range: ShardRange,
  options: ReadOptions,
): AsyncGenerator<readonly SourceLine[]> {
  const { signal, isLive = false } = options;
  let batch: SourceLine[] = [];
  let bytes = 0;
  for await (const lines of READERS[range.format](storage, range, options)) {
    signal?.throwIfAborted();
    for (const line of lines) {
      batch.push(line);
      bytes += 'document' in line && Buffer.isBuffer(line.document) ? line.document.length : 0;
      if (bytes < BATCH_BYTES && batch.length < BATCH_DOCUMENTS) continue;
      yield batch;
      signal?.throwIfAborted();
      [batch, bytes] = [[], 0];
    }
    if (!isLive || batch.length === 0) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}
