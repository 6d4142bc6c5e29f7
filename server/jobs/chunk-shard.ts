import type { ChunkedDocument, ChunkedDocuments } from '../corpus/chunk-documents.ts';
import type { Decoder } from '../corpus/decode.ts';
import { readDocuments } from '../corpus/read-documents.ts';
import type { ShardRange } from '../corpus/shard.ts';
import type { Claim, ShardResult } from '../store/jobs/contract.ts';
import type { Chunking } from './chunking.ts';
import { failedDocumentLine, idsLine, type PartFiles, PartFilesWriter } from './part-files.ts';
import type { JobPlaces } from './places.ts';
import type { StoreChunks, Storing } from './shard-sink.ts';
import { type JobSpec, unitOf } from './spec.ts';

/** What the work on a shard needs. */
export interface ShardTools {
  readonly chunking: Chunking;
  readonly places: JobPlaces;
  readonly decoder: Decoder;
  /** Missing where no job has a sink. */
  readonly storing?: Storing | undefined;
  /** Most bytes of a document. */
  readonly limit: number;
  /** Leaves out what need not be written. @returns what is written instead */
  readonly filter?: ((group: ChunkedDocuments) => ChunkedDocuments) | undefined;
}

/** What a `chunk` shard leaves for the finish. */
export interface ShardOutput {
  readonly files: PartFiles;
  readonly documents: number;
  readonly failed: number;
  /** Files that are no text. */
  readonly skipped: number;
  readonly chunks: number;
  /** Texts of which the model knows no word; missing if there are none. */
  readonly embedding_empty?: number;
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
  const { chunking, places, decoder, limit, filter = (group) => group } = tools;
  const { storage } = await places.source(spec, claim);
  const writer = new PartFilesWriter(await places.target(spec), claim);
  const store = tools.storing?.(spec, signal);
  const counts = { documents: 0, failed: 0, skipped: 0, chunks: 0 };
  let empty = 0;
  const onSkipped = () => counts.skipped++;
  const { fields } = spec.source;
  const lines = readDocuments(storage, range, {
    fields,
    limit,
    decode: decoder(unitOf(spec), signal),
    signal,
    onSkipped,
  });
  try {
    for await (const group of chunking(spec, lines, signal)) {
      for (const { chunks, embedding_empty, error } of await writeGroup(writer, store, filter(group))) {
        counts.documents++;
        counts.chunks += chunks;
        empty += embedding_empty;
        if (error !== undefined) counts.failed++;
      }
    }
    signal.throwIfAborted();
    const vectors = empty > 0 ? { embedding_empty: empty } : {};
    const output: ShardOutput = { files: await writer.finish(), ...counts, ...vectors };
    const { documents, failed: documentsFailed, chunks } = counts;
    return { documents, documentsFailed, chunks, ...vectors, bytes: range.bytes, output };
  } catch (error) {
    await writer.discard();
    throw error;
  }
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
