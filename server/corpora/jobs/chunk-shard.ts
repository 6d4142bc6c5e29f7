import type { LeftOut } from '../../../core/contracts/reader.ts';
import { addTotals, NO_VECTOR_TOTALS } from '../../engine/answer/response-metadata.ts';
import { addLeftOut } from '../../engine/read/readers.ts';
import type { Claim, JobStore, ShardProgress, ShardResult } from '../../store/jobs/contract.ts';
import { type ChunkedDocument, type ChunkedDocuments, type Chunking, leftOutOf } from '../chunk-documents.ts';
import { decodeWith, type Readers } from '../decode.ts';
import { readDocuments } from '../read-documents.ts';
import type { ShardRange, Skip } from '../shard.ts';
import { emptyOf, isUnreadFolder, type SkipGroup, Skips, skipLine, unreadId } from '../skips.ts';
import { noteFailed, remembering } from './note-documents.ts';
import { failedDocumentLine, idsLine, type PartFiles, PartFilesWriter } from './part-files.ts';
import type { StoreChunks, Storing } from './shard-sink.ts';
import type { JobLocations, JobSpec } from './spec.ts';

/** What the work on a shard needs. */
export interface ShardTools extends Readers {
  readonly store: Pick<JobStore, 'noteStored' | 'noteFailed'>;
  readonly chunking: Chunking;
  readonly locations: JobLocations;
  /** Missing if no job has a sink. */
  readonly storing?: Storing | undefined;
  /** Maximum bytes of a document. */
  readonly limit: number;
  /** Called after each group of documents, with what was done so far. */
  readonly onProgress?: ((progress: ShardProgress) => void) | undefined;
  /** Drops output that is not needed. @returns what is written instead */
  readonly filter?: ((group: ChunkedDocuments) => ChunkedDocuments) | undefined;
  /** Says why a file was skipped in the terms of an interface other than the service. */
  readonly inTerms?: ((message: string) => string) | undefined;
}

/** What a `chunk` shard leaves for the finish. */
export interface ShardOutput {
  readonly files: PartFiles;
  readonly documents: number;
  readonly failed: number;
  /** Files that were not read. */
  readonly skipped: number;
  /** These, and empty documents, by their reasons; missing if there are none. */
  readonly skips?: readonly SkipGroup[];
  readonly chunks: number;
  /** What readers left out of files; missing if nothing was. */
  readonly leftOut?: LeftOut;
  /** Failed documents with unknown ids; missing if there are none. */
  readonly unidentified?: number;
}

/**
 * Chunks the documents of a shard and writes its files, or hands the chunks to a sink.
 *
 * @throws ServiceError what fails the shard
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
  const counts = { ...NOTHING };
  // Files are read ahead, by a different amount on each machine, so each list has its own order.
  const [unread, empty]: [Skip[], Skip[]] = [[], []];
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
      for (const document of documents) addTo(counts, document);
      tools.onProgress?.(progressOf(counts, range));
    }
    signal.throwIfAborted();
    await noteFailed(
      unread.flatMap((skip) => unreadId(skip) ?? []),
      claim,
      tools.store,
    );
    counts.unidentified += unread.filter(isUnreadFolder).length;
    const skips = await writeSkipped(writer, [...empty, ...unread]);
    const { unidentified, vectors, leftOut, bytes: _, ...done } = counts;
    const output = outputOf(await writer.finish(), done, skips, { leftOut, unidentified });
    const more = { ...vectors, leftOut, skipped: skips.reasons };
    return { ...done, ...more, documentsFailed: done.failed, bytes: range.bytes, output };
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

function outputOf(
  files: PartFiles,
  done: Pick<ShardOutput, 'documents' | 'failed' | 'chunks'>,
  skips: Skips,
  { leftOut, unidentified }: Pick<typeof NOTHING, 'leftOut' | 'unidentified'>,
): ShardOutput {
  return {
    files,
    ...done,
    skipped: skips.count,
    ...(skips.groups.length > 0 && { skips: skips.groups }),
    ...(Object.keys(leftOut).length > 0 && { leftOut }),
    ...(unidentified > 0 && { unidentified }),
  };
}

const NOTHING = {
  documents: 0,
  failed: 0,
  chunks: 0,
  bytes: 0,
  vectors: NO_VECTOR_TOTALS,
  unidentified: 0,
  leftOut: {} as LeftOut,
};

function addTo(counts: typeof NOTHING, document: ChunkedDocument): void {
  counts.documents++;
  counts.chunks += document.chunks;
  counts.bytes += document.source.size;
  counts.vectors = addTotals(counts.vectors, document);
  counts.leftOut = addLeftOut(counts.leftOut, leftOutOf(document));
  if (document.error === undefined) return;
  counts.failed++;
  if (document.id === undefined) counts.unidentified++;
}

const progressOf = (
  { documents, failed, chunks, bytes }: typeof NOTHING,
  range: ShardRange,
): ShardProgress => ({ documents, documentsFailed: failed, chunks, bytes: Math.min(bytes, range.bytes) });

/** Writes what was skipped after the errors, and counts it. */
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
