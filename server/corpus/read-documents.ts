import { ServiceError } from '../../core/errors.ts';
import type { ReadOptions } from './formats/reading.ts';
import { readShard } from './read-shard.ts';
import type { ShardRange, SourceDocument } from './shard.ts';
import type { Skip } from './skips.ts';
import type { Storage } from './storage.ts';

export interface ReadDocumentsOptions extends Omit<ReadOptions, 'maxExpansion'> {
  /** Called for each file that is skipped. */
  onSkipped(skip: Skip): void;
}

/**
 * Reads the documents of a shard, see `readShard`, without the files that are none. A file of lines or rows that cannot be read
 * on fails alone, as a document after those that were read in it.
 */
export async function* readDocuments(
  storage: Storage,
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
