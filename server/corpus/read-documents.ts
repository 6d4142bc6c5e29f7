import { type Decode, readShard } from './read-shard.ts';
import type { FieldMapping, ShardRange, SourceDocument } from './shard.ts';
import type { Skip } from './skips.ts';
import type { Storage } from './storage.ts';

export interface ReadDocumentsOptions {
  /** Which members of a line or row are what of a document. */
  readonly fields: FieldMapping | undefined;
  /** Most bytes of a document. */
  readonly limit: number;
  readonly decode: Decode;
  readonly signal: AbortSignal;
  readonly isLive?: boolean;
  /** Called for each file that is skipped. */
  onSkipped(skip: Skip): void;
}

/** Reads the documents of a shard, see `readShard`, without the files that are none. */
export async function* readDocuments(
  storage: Storage,
  range: ShardRange,
  { onSkipped, ...options }: ReadDocumentsOptions,
): AsyncGenerator<readonly SourceDocument[]> {
  for await (const lines of readShard(storage, range, options)) {
    for (const line of lines) if ('skipped' in line) onSkipped(line);
    const documents = lines.filter((line) => 'document' in line);
    if (documents.length > 0) yield documents;
  }
}
