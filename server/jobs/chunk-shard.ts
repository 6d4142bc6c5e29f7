import {
  type ChunkedDocument,
  type ChunkedDocuments,
  type CorpusPlan,
  chunkDocuments,
} from '../corpus/chunk-documents.ts';
import { type Decode, readShard } from '../corpus/read-shard.ts';
import type { ShardRange } from '../corpus/shard.ts';
import type { RunAnswer, Runner } from '../run/runner.ts';
import type { Service } from '../service/service.ts';
import type { Claim, ShardResult } from '../store/jobs/contract.ts';
import { errorLine, idsLine, type PartFiles, PartFilesWriter } from './part-files.ts';
import type { JobPlaces } from './places.ts';
import type { OpenSink, ShardSink } from './shard-sink.ts';
import type { JobSpec } from './spec.ts';

/** What a worker works with. */
export interface ShardTools {
  readonly service: Pick<Service, 'readStreamPlan'>;
  readonly runner: Pick<Runner, 'run'>;
  readonly places: JobPlaces;
  readonly decode: Decode;
  readonly openSink: OpenSink;
  /** Most bytes of a document. */
  readonly limit: number;
  /** Most groups of documents of a shard that are worked on at once. */
  readonly slots: number;
  /** Told of the times of each group of documents. */
  onAnswer?(answer: RunAnswer, bytes: number): void;
}

/** What a `chunk` shard leaves for the finish. */
export interface ShardOutput {
  readonly files: PartFiles;
  readonly documents: number;
  readonly failed: number;
  /** Files that are no text. */
  readonly skipped: number;
  readonly chunks: number;
}

/** What is done with each document of a job. @throws ServiceError as `Requests.readStreamPlan` does */
export function planOf({ task, options, group }: JobSpec, service: ShardTools['service']): CorpusPlan {
  const plan = service.readStreamPlan(task, Buffer.from(JSON.stringify(options)));
  return { ...plan, writes: group === 'document' ? 'documents' : 'chunks', tellsIds: true };
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
  const writer = new PartFilesWriter(await tools.places.target(spec), claim);
  const sink = await tools.openSink(spec, signal);
  const counts = { documents: 0, failed: 0, skipped: 0, chunks: 0 };
  try {
    for await (const group of chunksOf(claim, signal, tools, () => counts.skipped++)) {
      for (const { chunks, error } of await writeGroup(writer, sink, group)) {
        counts.documents++;
        counts.chunks += chunks;
        if (error !== undefined) counts.failed++;
      }
    }
    signal.throwIfAborted();
    const output: ShardOutput = { files: await writer.finish(), ...counts };
    const { documents, failed: documentsFailed, chunks } = counts;
    return { documents, documentsFailed, chunks, bytes: range.bytes, output };
  } catch (error) {
    await writer.discard();
    throw error;
  } finally {
    await sink?.close();
  }
}

async function* chunksOf(
  claim: Claim,
  signal: AbortSignal,
  { service, runner, places, decode, limit, slots, onAnswer }: ShardTools,
  onSkipped: () => void,
): AsyncGenerator<ChunkedDocuments> {
  const spec = claim.spec as JobSpec;
  const { storage } = await places.source(spec, claim);
  const { fields } = spec.source;
  const lines = readShard(storage, claim.range as ShardRange, { fields, limit, decode, signal, onSkipped });
  const plan = planOf(spec, service);
  yield* chunkDocuments({
    plan,
    lines,
    runner,
    slots,
    signal,
    ...(onAnswer !== undefined && { onAnswer }),
  });
}

async function writeGroup(
  writer: PartFilesWriter,
  sink: ShardSink | undefined,
  { bytes, documents: chunked }: ChunkedDocuments,
): Promise<readonly ChunkedDocument[]> {
  const documents = sink === undefined ? chunked : await sink.store(bytes, chunked);
  if (sink === undefined) await writer.write('part', bytes);
  const failed = documents.filter(({ error }) => error !== undefined);
  const done = documents.filter(({ error }) => error === undefined);
  if (failed.length > 0) await writer.write('errors', Buffer.from(failed.map(errorLine).join('')));
  if (done.length > 0) await writer.write('ids', Buffer.from(done.map(idsLine).join('')));
  return documents;
}
