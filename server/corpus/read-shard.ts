import { readCsv } from './formats/csv.ts';
import { readFiles } from './formats/files.ts';
import { readJsonLines } from './formats/jsonl.ts';
import { readParquet } from './formats/parquet.ts';
import type { ReadOptions, SourceLines } from './formats/reading.ts';
import type { Format, ShardRange, SourceLine } from './shard.ts';
import type { Storage } from './storage.ts';

export type { Decode } from './formats/reading.ts';

/** Bytes of documents that are given at once. */
const BATCH_BYTES = 256 * 1024;
/** Documents that are given at once, however small they are. */
const BATCH_DOCUMENTS = 1000;
const MAX_EXPANSION = 250;

const READERS: Readonly<
  Record<Format, (storage: Storage, range: ShardRange, options: ReadOptions) => SourceLines>
> = { files: readFiles, jsonl: readJsonLines, csv: readCsv, parquet: readParquet };

/**
 * Reads the documents of a shard in their order, in batches of some 256 KB. What is wrong with one document stands in its
 * place.
 *
 * @throws ServiceError `source_changed`, `source_unreadable` or `storage_failed`, after which the shard cannot be read on
 * @throws the signal's reason once it aborts
 */
export async function* readShard(
  storage: Storage,
  range: ShardRange,
  options: Omit<ReadOptions, 'maxExpansion'> & { readonly maxExpansion?: number | undefined },
): AsyncGenerator<readonly SourceLine[]> {
  const { signal, isLive = false, maxExpansion = MAX_EXPANSION } = options;
  let batch: SourceLine[] = [];
  let bytes = 0;
  for await (const lines of READERS[range.format](storage, range, { ...options, maxExpansion })) {
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
