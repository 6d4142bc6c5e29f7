import { randomUUID } from 'node:crypto';
import type { SinkChunk, SinkCollection } from '../../core/contracts/sink.ts';
import { ServiceError } from '../../core/errors.ts';
import type { PluginHost } from '../../core/hosting/container.ts';
import { callPlugin } from '../../core/hosting/plugin-error.ts';
import type { PluginEntry, Registry } from '../../core/hosting/registry.ts';
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
    const open = (dimensions: number | undefined) =>
      callPlugin(entry, async () => sink.open({ options, dimensions }, { signal }));
    return new OpenShardSink(entry, open, signal);
  };
}

type Open = (dimensions: number | undefined) => Promise<SinkCollection>;

class OpenShardSink implements ShardSink {
  readonly #entry: PluginEntry;
  readonly #open: Open;
  readonly #signal: AbortSignal;
  #opened: Promise<SinkCollection> | undefined;
  /** Documents without chunks that came before the first chunk, which says how long vectors are. */
  #waiting: StoredDocument[] = [];

  /** @param open opens the collection, once the length of its vectors is known */
  constructor(entry: PluginEntry, open: Open, signal: AbortSignal) {
    this.#entry = entry;
    this.#open = open;
    this.#signal = signal;
  }

  async store(bytes: Uint8Array, documents: readonly ChunkedDocument[]): Promise<readonly ChunkedDocument[]> {
    const stored = [...this.#waiting, ...storedDocuments(bytes, documents)];
    this.#waiting = [];
    const failures = new Map<string, ServiceError>();
    try {
      await this.#store(stored);
    } catch (error) {
      for (const one of stored) {
        const failure = await this.#storeAlone(one, error);
        if (failure !== undefined) failures.set(one.id, failure);
      }
    }
    return documents.map((document) => outcomeOf(document, failures));
  }

  async close(): Promise<void> {
    const collection = await this.#opened?.catch(() => undefined);
    await collection?.close();
  }

  async #store(documents: readonly StoredDocument[]): Promise<void> {
    const chunks = documents.flatMap((one) => one.chunks);
    if (chunks.length === 0 && this.#opened === undefined) {
      this.#waiting.push(...documents);
      return;
    }
    this.#opened ??= this.#open(chunks[0]?.embedding?.length);
    const collection = await this.#opened;
    const context = { signal: this.#signal };
    await callPlugin(this.#entry, async () => {
      if (chunks.length > 0) await collection.upsert(chunks, context);
      for (const { id, chunks } of documents) {
        const kept = chunks.map((chunk) => chunk.id);
        await collection.deleteMissing(id, kept, context);
      }
    });
  }

  /**
   * Stores one of several documents that could not be stored together.
   *
   * @returns what is wrong with it
   * @throws ServiceError if it is not the document, but the sink, that is at fault
   */
  async #storeAlone(document: StoredDocument, together: unknown): Promise<ServiceError | undefined> {
    this.#signal.throwIfAborted();
    const collection = await this.#opened;
    if (collection === undefined) throw together;
    try {
      await this.#store([document]);
      return undefined;
    } catch (error) {
      // A sink that works removes the chunks of a document that nobody has.
      await callPlugin(this.#entry, () =>
        collection.deleteMissing(randomUUID(), [], { signal: this.#signal }),
      );
      if (error instanceof ServiceError) return error;
      throw error;
    }
  }
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

/** What came of a document; without an id it could not be found again. */
function outcomeOf(document: ChunkedDocument, failures: ReadonlyMap<string, ServiceError>): ChunkedDocument {
  const { id, error } = document;
  const failure = id === undefined ? MISSING_ID : failures.get(id);
  if (failure === undefined || error !== undefined) return document;
  return { ...document, chunks: 0, ids: [], error: failure };
}
