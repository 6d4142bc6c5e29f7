import { type Claim, type JobStore, NO_COUNTS, type ShardResult } from '../../store/jobs/contract.ts';
import {
  addDocument,
  type ChunkedDocument,
  type ChunkedDocuments,
  type Chunking,
  type Tally,
} from '../chunk-documents.ts';
import { decodeWith, type Readers, readDocuments } from '../read-documents.ts';
import type { ShardRange, Skip } from '../shard.ts';
import { emptyOf, isUnreadFolder, Skips, skipLine, unreadId } from '../skips.ts';
import type { ShardOutput } from './job-output.ts';
import { failedDocumentLine, idsLine, type PartFiles, PartFilesWriter } from './part-files.ts';
import { noteFailed, remembering, type StoreChunks, type Storing } from './sink.ts';
import type { JobLocations, JobSpec } from './spec.ts';

export interface ShardTools extends Readers {
  readonly store: Pick<JobStore, 'noteStored' | 'noteFailed'>;
  readonly chunking: Chunking;
  readonly locations: JobLocations;
  /** Stores chunks in sinks; missing if no job has a sink. */
  readonly storing?: Storing | undefined;
  /** Maximum bytes of a document. */
  readonly limit: number;
  /** Called after each group of documents, with the totals so far. */
  readonly onProgress?: ((progress: Readonly<Tally>) => void) | undefined;
  /** Drops the output that is not needed. @returns the remaining output */
  readonly filter?: ((group: ChunkedDocuments) => ChunkedDocuments) | undefined;
  /** Rewrites the reason for skipping a file in the terms of another interface, such as the command line. */
  readonly inTerms?: ((message: string) => string) | undefined;
}

/**
 * Chunks the documents of a shard, and writes the chunks to the shard's files or hands them to a sink.
 *
 * @throws ServiceError the failure of the shard
 * @throws the signal's reason once it aborts
 */
export async function chunkShard(claim: Claim, signal: AbortSignal, tools: ShardTools): Promise<ShardResult> {
  const spec = claim.spec as JobSpec;
  const range = claim.range as ShardRange;
  const { chunking, locations, limit, filter = (group) => group, inTerms = (message) => message } = tools;
  const { storage } = await locations.source(spec, claim);
  const writer = new PartFilesWriter(await locations.target(spec), claim);
  const storing = tools.storing?.(spec, signal);
  const store = storing && remembering(storing, claim, tools.store);
  const counts: Tally = { ...NO_COUNTS };
  let unidentified = 0;
  // Files are read ahead, by a different amount on each machine. Two lists give the same order everywhere.
  const unread: Skip[] = [];
  const empty: Skip[] = [];
  const lines = readDocuments(storage, range, {
    fields: spec.source.fields,
    limit,
    decode: decodeWith(tools, spec, signal),
    signal,
    onSkipped: (skip) => unread.push({ ...skip, detail: inTerms(skip.detail) }),
  });
  try {
    for await (const group of chunking(spec, lines, signal)) {
      const documents = await writeGroup(writer, store, filter(group));
      empty.push(...documents.map(emptyOf).filter((one) => one !== undefined));
      for (const document of documents) {
        addDocument(counts, document);
        if (document.error !== undefined && document.id === undefined) unidentified++;
      }
      tools.onProgress?.({ ...counts, bytes: Math.min(counts.bytes, range.bytes) });
    }
    signal.throwIfAborted();
    await noteFailed(
      unread.flatMap((skip) => unreadId(skip) ?? []),
      claim,
      tools.store,
    );
    unidentified += unread.filter(isUnreadFolder).length;
    const skips = await writeSkipped(writer, [...empty, ...unread]);
    const output = outputOf(await writer.finish(), counts, skips, unidentified);
    return { counts: { ...counts, bytes: range.bytes, skipped: skips.reasons }, output };
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

function outputOf(
  files: PartFiles,
  { documents, failed, chunks, left_out }: Tally,
  skips: Skips,
  unidentified: number,
): ShardOutput {
  return {
    files,
    documents,
    failed,
    chunks,
    skipped: skips.count,
    ...(skips.groups.length > 0 && { skips: skips.groups }),
    ...(Object.keys(left_out).length > 0 && { leftOut: left_out }),
    ...(unidentified > 0 && { unidentified }),
  };
}

async function writeSkipped(writer: PartFilesWriter, skipped: readonly Skip[]): Promise<Skips> {
  const skips = new Skips();
  for (const skip of skipped) skips.add(skip);
  if (skipped.length > 0) await writer.write('errors', Buffer.from(skipped.map(skipLine).join('')));
  return skips;
}

async function writeGroup(
  writer: PartFilesWriter,
  store: StoreChunks | undefined,
  { bytes, documents: chunked }: ChunkedDocuments,
): Promise<readonly ChunkedDocument[]> {
  const documents = store === undefined ? chunked : await store(bytes, chunked);
  if (store === undefined) await writer.write('part', bytes);
  const failed = documents.filter(({ error }) => error !== undefined);
  const done = documents.filter(({ error }) => error === undefined);
  if (failed.length > 0) await writer.write('errors', Buffer.from(failed.map(failedDocumentLine).join('')));
  if (done.length > 0) await writer.write('ids', Buffer.from(done.map(idsLine).join('')));
  return documents;
}
