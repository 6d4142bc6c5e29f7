/** A chunk to be stored, with the fields of the answer. */
export interface SinkChunk {
  /** UUID. */
  readonly id: string;
  readonly document_id: string;
  readonly text: string;
  /**
   * Its vector; null if the pipeline does not embed. `JSON.stringify` would write an object: `vectorJson` of the toolkit writes a
   * list.
   */
  readonly embedding: Float32Array | null;
  /**
   * The other fields: offsets, `metadata`, and those that chunkers and refineries add. JSON. A number that a double
   * would change, such as 1e400 or 12345678901234567890, is an object of `JSON.rawJSON`, so that `JSON.stringify`
   * writes it as it came. A sink stores that number or its text, or refuses the chunk; `kit.parseExactJson` reads it
   * back.
   */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface SinkContext {
  /** Aborts once the work is no longer wanted. */
  readonly signal: AbortSignal;
}

/** An open collection of a database. Its methods may be called concurrently, but never for the same document. */
export interface SinkCollection {
  /**
   * Stores chunks under their ids, replacing existing ones. Resolves once they are stored and searchable.
   *
   * @throws Error `kit.exposedError` if the database refuses them
   */
  upsert(chunks: readonly SinkChunk[], context: SinkContext): Promise<void>;
  /** Removes the chunks of a document except those kept; all of them if none is kept. */
  deleteMissing(documentId: string, keptIds: readonly string[], context: SinkContext): Promise<void>;
  close(): Promise<void>;
}

export interface SinkTarget {
  /** The options of the manifest, checked and with defaults. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Length of the vectors; undefined if the pipeline does not embed. */
  readonly dimensions: number | undefined;
}

/** Stores chunks with their vectors in a database. Its manifest's `options` say where, such as a collection. */
export interface Sink {
  /**
   * Opens a collection, creating it if it is missing.
   *
   * @throws Error `kit.refusedError` if its vectors have another length, after which a job does not retry;
   *   `kit.exposedError` if the database does not answer
   */
  open(target: SinkTarget, context: SinkContext): Promise<SinkCollection>;
  /**
   * Removes all chunks of documents when the length of the vectors is not known: of documents that have no text any
   * more, or were deleted. It never creates a collection: if there is none, there is nothing to remove. Without this
   * method, a collection is opened without `dimensions` instead, and documents fail if the sink rejects that.
   *
   * @param documentIds possibly very many
   * @throws Error `kit.exposedError` if the database refuses it, or does not answer
   */
  removeDocuments?(
    documentIds: readonly string[],
    options: SinkTarget['options'],
    context: SinkContext,
  ): Promise<void>;
}
