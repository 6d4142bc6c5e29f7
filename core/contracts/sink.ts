/** A chunk to store, with the fields of the answer. */
export interface SinkChunk {
  /** UUID. */
  readonly id: string;
  readonly document_id: string;
  readonly text: string;
  /**
   * The chunk's vector; null if the pipeline does not embed. Use the toolkit's `vectorJson` to write a list.
   */
  readonly embedding: Float32Array | null;
  /**
   * The other fields, as JSON values: offsets, `metadata`, and fields of chunkers and refineries. A number that a
   * double would change, such as 1e400 or 12345678901234567890, is a `JSON.rawJSON` object, which `JSON.stringify`
   * writes unchanged. A sink stores the number or its text, or refuses the chunk; `kit.parseExactJson` reads it
   * back.
   */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface SinkContext {
  /** Aborts if the work is cancelled. */
  readonly signal: AbortSignal;
}

/** An open collection of a database. Calls may be concurrent, but never for the same document. */
export interface SinkCollection {
  /**
   * Stores chunks by id and replaces existing ones. Resolves when they are stored and searchable.
   *
   * @throws Error `kit.exposedError` if the database refuses them
   */
  upsert(chunks: readonly SinkChunk[], context: SinkContext): Promise<void>;
  /** Removes the chunks of a document except `keptIds`, which may be empty. */
  deleteMissing(documentId: string, keptIds: readonly string[], context: SinkContext): Promise<void>;
  close(): Promise<void>;
}

export interface SinkTarget {
  /** The options of the manifest, checked and with defaults. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Length of the vectors; undefined if the pipeline does not embed. */
  readonly dimensions: number | undefined;
}

/** Stores chunks with their vectors in a database. The manifest's `options` define the target. */
export interface Sink {
  /**
   * Opens a collection, and creates it if it is missing.
   *
   * @throws Error `kit.refusedError` if the collection has vectors of another length; a job does not retry it
   * @throws Error `kit.exposedError` if the database does not answer
   */
  open(target: SinkTarget, context: SinkContext): Promise<SinkCollection>;
  /**
   * Removes all chunks of documents that were deleted or have no text now. The length of the vectors is unknown
   * here. It never creates a collection; a missing one means success. Without this method, the service opens the
   * collection without `dimensions`; if the sink refuses that, the documents fail.
   *
   * @param documentIds possibly very many
   * @throws Error `kit.exposedError` if the database refuses the removal or does not answer
   */
  removeDocuments?(
    documentIds: readonly string[],
    options: SinkTarget['options'],
    context: SinkContext,
  ): Promise<void>;
}
