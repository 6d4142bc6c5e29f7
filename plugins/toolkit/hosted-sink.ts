import type { HostedApi, HostedCall, HostedModels } from '../../core/contracts/collaborators.ts';
import type { SinkChunk, SinkCollection } from '../../core/contracts/sink.ts';
import { exposedError } from '../../core/errors.ts';
import { batchChunks } from './chunk-batches.ts';

/** A server of a vector database, and the API client for it. */
export interface SinkServer {
  readonly hosted: HostedModels;
  readonly api: HostedApi;
}

/** What a database must do for an open collection. `createHostedCollection` makes a sink's collection of it. */
export interface HostedCollection {
  readonly limits: Parameters<typeof batchChunks>[1];
  /** Maximum ids of one call of `deleteIds`. */
  readonly idsPerCall: number;
  write(chunks: readonly SinkChunk[], signal: AbortSignal): Promise<void>;
  /** The ids of all chunks of a document. */
  idsOf(documentId: string, signal: AbortSignal): Promise<readonly string[]>;
  deleteIds(documentId: string, ids: readonly string[], signal: AbortSignal): Promise<void>;
}

export function createHostedCollection(collection: HostedCollection): SinkCollection {
  return {
    async upsert(chunks, { signal }) {
      for (const batch of batchChunks(chunks, collection.limits)) await collection.write(batch, signal);
    },
    async deleteMissing(documentId, keptIds, { signal }) {
      const kept = new Set(keptIds);
      const stored = await collection.idsOf(documentId, signal);
      const missing = stored.filter((id) => !kept.has(id));
      for (const ids of slicesOf(missing, collection.idsPerCall))
        await collection.deleteIds(documentId, ids, signal);
    },
    async close() {},
  };
}

/** Divides values into arrays of at most `size` values. */
export function* slicesOf<Value>(values: readonly Value[], size: number): Generator<readonly Value[]> {
  for (let start = 0; start < values.length; start += size) yield values.slice(start, start + size);
}

/** Calls an API; undefined if the answer is 404. @throws Error for callers after any other failure */
export async function callUnlessMissing<Value>(
  { hosted, api }: SinkServer,
  call: HostedCall<Value>,
): Promise<{ readonly value: Value } | undefined> {
  const outcome = await hosted.ask(api, call);
  if (!('failure' in outcome)) return outcome;
  if (outcome.status === 404) return undefined;
  throw exposedError(outcome.message);
}

/**
 * Creates something if `exists` does not find it. A failed creation is ignored if `exists` then finds it, because
 * another thread may have created it at the same time.
 *
 * @throws Error for callers if it cannot be created
 */
export async function createUnlessThere(
  { hosted, api }: SinkServer,
  call: Omit<HostedCall<void>, 'method' | 'read'>,
  exists: () => Promise<boolean>,
): Promise<void> {
  if (await exists()) return;
  const outcome = await hosted.ask(api, { ...call, method: 'PUT', read: () => {} });
  if ('failure' in outcome && !(await exists())) throw exposedError(outcome.message);
}

/** The clause of an error: the stored vectors have another length than the vectors of the chunks. */
export function vectorsProblem(stored: string, has: number | string, wanted: number | undefined): string {
  const chunks = wanted === undefined ? 'the chunks have none' : `the chunks have ${wanted}`;
  return `${stored} vectors with dimensions: ${has}, but ${chunks}`;
}
