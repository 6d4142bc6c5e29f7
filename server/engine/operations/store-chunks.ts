import { randomUUID } from 'node:crypto';
import type { Sink, SinkChunk, SinkCollection } from '../../../core/contracts/sink.ts';
import { invalid, ServiceError, toPlainError } from '../../../core/errors.ts';
import { callPlugin } from '../../../core/hosting/plugin-error.ts';
import type { PluginEntry } from '../../../core/hosting/registry.ts';
import { vectorOfBase64 } from '../../../plugins/toolkit/json/ascii-numbers.ts';
import { parseExactJson } from '../../../plugins/toolkit/json/exact-json.ts';
import { emptyAnswer } from '../answer/response-metadata.ts';
import type { Operation, Run } from '../operation.ts';
import { LeaseCache } from '../stages/lease-cache.ts';
import type { Answer, AnyRequest, StoreTask } from '../tasks.ts';

interface StoreRequest extends AnyRequest {
  readonly run: 'store';
  readonly task: StoreTask;
  readonly bytes: Uint8Array;
}

export type SinkCollections = LeaseCache<SinkCollection>;

/** Milliseconds after which an idle collection is closed. This thread does not know when a job ends. */
const IDLE_MS = 10_000;
const MAX_IDLE = 16;

export function createSinkCollections(): SinkCollections {
  const free = async (collection: SinkCollection) => {
    // A collection that fails to close is dropped nevertheless.
    await Promise.try(() => collection.close()).catch(() => {});
  };
  return new LeaseCache({ max: MAX_IDLE, ttl: IDLE_MS, free });
}

export const storeOperation: Operation<StoreTask, StoreRequest> = {
  plugins: () => undefined,
  read: (task, bytes) => ({ run: 'store', uses: [], task, bytes }),
  run: runStore,
  label: () => 'store',
};

interface StoredDocument {
  readonly id: string;
  readonly chunks: readonly SinkChunk[];
}

/** Stores documents, replacing earlier versions. @throws ServiceError */
type Store = (documents: readonly StoredDocument[]) => Promise<void>;

/**
 * Stores the chunks of documents, and removes outdated chunks that earlier runs stored for these documents.
 *
 * @throws ServiceError if the sink is at fault; errors of documents are in the outcomes
 */
async function runStore(
  request: StoreRequest,
  { registry, host, collections, signal }: Run,
): Promise<Answer> {
  const { documents, sink: target } = request.task;
  const entry = registry.require('sink', target.name);
  const sink = await host.get('sink', target.name);
  const stored = storedDocuments(request);
  const work = { task: request.task, entry, sink, signal, collections };
  const [chunk] = stored.flatMap(({ chunks }) => chunks.slice(0, 1));
  const failures = await (chunk === undefined
    ? removeDocuments(work, stored)
    : withCollection(work, chunk.embedding?.length, (store) => storeEach(stored, store, signal)));
  const outcomes = documents.map(({ id, chunks }, index) => {
    const error = id === undefined ? MISSING_ID : failures.get(id);
    return error === undefined ? { index, id, chunks } : { index, id, error: toPlainError(error) };
  });
  return { ...emptyAnswer(0), outcomes };
}

interface StoreWork {
  readonly task: StoreTask;
  readonly entry: PluginEntry;
  readonly sink: Sink;
  readonly signal: AbortSignal;
  readonly collections: SinkCollections;
}

type Failures = ReadonlyMap<string, ServiceError>;

/** Removes from the sink the documents that have no chunks. Such documents do not show the vectors' length. */
async function removeDocuments(work: StoreWork, documents: readonly StoredDocument[]): Promise<Failures> {
  const { entry, sink, signal, task } = work;
  if (documents.length === 0) return new Map();
  if (sink.removeDocuments !== undefined) {
    const remove: Store = (some) =>
      callPlugin(entry, () =>
        sink.removeDocuments?.(
          some.map(({ id }) => id),
          task.sink.options,
          { signal },
        ),
      );
    return storeEach(documents, remove, signal);
  }
  try {
    return await withCollection(work, undefined, (store) => storeEach(documents, store, signal));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ServiceError)) throw error;
    return new Map(documents.map(({ id }) => [id, error]));
  }
}

/** Runs work on a collection. Opens the collection first, unless the task's owner already has it open. */
async function withCollection<T>(
  { task, entry, sink, signal, collections }: StoreWork,
  dimensions: number | undefined,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const { options } = task.sink;
  const key = JSON.stringify([task.owner, dimensions]);
  const open = (signal: AbortSignal) =>
    callPlugin(entry, () => sink.open({ options, dimensions }, { signal }));
  const lease = await collections.lease(key, open, signal);
  if (lease === undefined) throw new ServiceError('internal');
  const { value: collection, release } = lease;
  try {
    return await use((documents) => callPlugin(entry, () => replace(collection, documents, { signal })));
  } finally {
    release();
  }
}

async function replace(
  collection: SinkCollection,
  documents: readonly StoredDocument[],
  context: { readonly signal: AbortSignal },
): Promise<void> {
  const chunks = documents.flatMap((one) => one.chunks);
  if (chunks.length > 0) await collection.upsert(chunks, context);
  for (const { id, chunks } of documents) {
    const kept = chunks.map((chunk) => chunk.id);
    await collection.deleteMissing(id, kept, context);
  }
}

/**
 * Stores documents together or, if that fails, one by one.
 *
 * @returns failures of single documents
 * @throws ServiceError if the sink is at fault, not a document
 */
async function storeEach(
  documents: readonly StoredDocument[],
  store: Store,
  signal: AbortSignal,
): Promise<Failures> {
  const failures = new Map<string, ServiceError>();
  const together = await failureOf(store(documents));
  if (together === undefined) return failures;
  for (const one of documents) {
    signal.throwIfAborted();
    const failure = await failureOf(store([one]));
    if (failure === undefined) continue;
    // Tests the sink: a working sink can remove the chunks of a document that does not exist.
    await store([{ id: randomUUID(), chunks: [] }]);
    failures.set(one.id, failure);
  }
  return failures;
}

async function failureOf(work: Promise<void>): Promise<ServiceError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

function storedDocuments({ task, bytes }: StoreRequest): StoredDocument[] {
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString().split('\n');
  let at = 0;
  return task.documents.flatMap(({ id, chunks }) => {
    const own = lines.slice(at, at + chunks);
    at += chunks;
    return id === undefined ? [] : [{ id, chunks: own.map((line) => chunkOf(line, id)) }];
  });
}

function chunkOf(line: string, documentId: string): SinkChunk {
  const { id, text, embedding, document_id: _, ...fields } = parseExactJson(line) as Record<string, unknown>;
  return {
    id: id as string,
    document_id: documentId,
    text: text as string,
    embedding: vectorOf(embedding),
    fields,
  };
}

/** @param embedding base64, or a list of numbers if it comes from a server */
function vectorOf(embedding: unknown): Float32Array | null {
  if (typeof embedding === 'string') return vectorOfBase64(embedding);
  return Array.isArray(embedding) ? Float32Array.from(embedding as number[]) : null;
}

const MISSING_ID = invalid('id: missing; a sink replaces the chunks of a document by its id');
