import type { SinkChunk, SinkCollection } from '../../core/contracts/sink.ts';
import { ServiceError } from '../../core/errors.ts';
import type { PluginHost } from '../../core/hosting/container.ts';
import { callPlugin } from '../../core/hosting/plugin-error.ts';
import type { Registry } from '../../core/hosting/registry.ts';
import type { ChunkedDocument } from '../corpus/chunk-documents.ts';
import type { JobSpec } from './spec.ts';

/** Stores the chunks of a shard in the sink of its job. */
export interface ShardSink {
  /**
   * Stores the chunks of documents, and removes what earlier runs stored of these documents and is not among them.
   *
   * @param bytes a line for each chunk
   * @returns the documents, of which those have failed that cannot be stored
   */
  store(bytes: Uint8Array, documents: readonly ChunkedDocument[]): Promise<readonly ChunkedDocument[]>;
  close(): Promise<void>;
}

/** Opens the sink of a job; undefined if it has none. */
export type OpenSink = (spec: JobSpec, signal: AbortSignal) => Promise<ShardSink | undefined>;

/** @param host makes the sink when the first shard needs it */
export function sinkOpener(registry: Registry, host: PluginHost): OpenSink {
  return async ({ target }, signal) => {
    if (target.sink === undefined) return undefined;
    const { name, options } = target.sink;
    const entry = registry.require('sink', name);
    const sink = await host.get('sink', name);
    let opened: Promise<SinkCollection> | undefined;
    const open = (dimensions: number | undefined) =>
      (opened ??= callPlugin(entry, async () => sink.open({ options, dimensions }, { signal })));
    return {
      async store(bytes, documents) {
        const stored = storedDocuments(bytes, documents);
        const chunks = stored.flatMap((one) => one.chunks);
        const collection = await open(chunks[0]?.embedding?.length);
        await callPlugin(entry, async () => {
          if (chunks.length > 0) await collection.upsert(chunks, { signal });
          for (const one of stored) {
            const kept = one.chunks.map(({ id }) => id);
            await collection.deleteMissing(one.id, kept, { signal });
          }
        });
        return documents.map(withoutId);
      },
      close: async () => (await opened?.catch(() => undefined))?.close(),
    };
  };
}

interface StoredDocument {
  readonly id: string;
  readonly chunks: readonly SinkChunk[];
}

function storedDocuments(bytes: Uint8Array, documents: readonly ChunkedDocument[]): StoredDocument[] {
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString().split('\n');
  let at = 0;
  return documents.flatMap(({ id, chunks, error }) => {
    const own = lines.slice(at, at + chunks);
    at += chunks;
    if (id === undefined || error !== undefined) return [];
    return [{ id, chunks: own.map((line) => chunkOf(line, id)) }];
  });
}

function chunkOf(line: string, documentId: string): SinkChunk {
  const { id, text, embedding, document_id: _, ...fields } = JSON.parse(line) as Record<string, unknown>;
  return {
    id: id as string,
    document_id: documentId,
    text: text as string,
    embedding: Array.isArray(embedding) ? (embedding as number[]) : null,
    fields,
  };
}

const MISSING_ID = new ServiceError('invalid_parameters', {
  problems: ['id: missing; a sink replaces the chunks of a document by its id'],
});

/** A document without an id could not be found again. */
function withoutId(document: ChunkedDocument): ChunkedDocument {
  if (document.id !== undefined || document.error !== undefined) return document;
  return { ...document, chunks: 0, ids: [], error: MISSING_ID };
}
