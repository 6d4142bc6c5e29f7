/** A chunk to store, with the fields of the answer. */
export interface SinkChunk {
  /** UUID. */
  readonly id: string;
  readonly document_id: string;
  readonly text: string;
  /** The chunk's vector; null if the pipeline does not embed. The toolkit's `vectorJson` writes it as a JSON list. */
  readonly embedding: Float32Array | null;
  /**
   * The other fields, as JSON values: offsets, `metadata`, and fields of chunkers and refineries. A number that a
   * double cannot represent, such as 1e400 or 12345678901234567890, is a `JSON.rawJSON` object. `JSON.stringify`
   * writes this object as the unchanged number. A sink must store the number or its text, or refuse the chunk. The
   * toolkit's `parseExactJson` reads such numbers back.
   */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface SinkContext {
  /** Aborts if the work is cancelled. */
  readonly signal: AbortSignal;
}

/** An open collection of a database. Calls may run at the same time, but never for the same document. */
export interface SinkCollection {
  /**
   * Stores chunks by id and replaces existing chunks. Resolves when all chunks are stored and searchable.
   *
   * @throws Error `kit.exposedError` if the database refuses the chunks
   */
  upsert(chunks: readonly SinkChunk[], context: SinkContext): Promise<void>;
  /** Removes all chunks of a document, except chunks with an id in `keptIds`. `keptIds` may be empty. */
  deleteMissing(documentId: string, keptIds: readonly string[], context: SinkContext): Promise<void>;
  close(): Promise<void>;
}

export interface SinkTarget {
  /** The sink's options. They have been checked, and missing options have their defaults. */
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
   * Removes all chunks of documents that were deleted or have become empty. The length of the vectors is not known
   * here. Never creates a collection; if the collection is missing, does nothing. If a sink lacks this method, the
   * service opens the collection without `dimensions` instead. If the sink refuses, the documents fail.
   *
   * @param documentIds can be a very long list
   * @throws Error `kit.exposedError` if the database refuses the removal or does not answer
   */
  removeDocuments?(
    documentIds: readonly string[],
    options: SinkTarget['options'],
    context: SinkContext,
  ): Promise<void>;
}
