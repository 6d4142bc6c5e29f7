/** A chunk as it is stored: the fields that it was answered with. */
export interface SinkChunk {
  /** UUID. */
  readonly id: string;
  readonly document_id: string;
  readonly text: string;
  /** Its vector; null if the pipeline makes none. */
  readonly embedding: readonly number[] | null;
  /**
   * The other fields: offsets, `metadata`, and what chunkers and refineries add. JSON. A number that a double would change,
   * such as 1e400 or 12345678901234567890, is an object of `JSON.rawJSON`, so that `JSON.stringify` writes it as it came. A
   * sink stores that number or its text, or refuses the chunk; `kit.parseExactJson` reads it back.
   */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What a sink is given besides chunks. */
export interface SinkContext {
  /** Aborts once the work is not wanted any more. */
  readonly signal: AbortSignal;
}

/** A collection of a database that is open. Its methods may be called side by side, but never for one document. */
export interface SinkCollection {
  /**
   * Stores chunks under their ids, replacing those that are there. Resolves once they are stored and will be found.
   *
   * @throws Error `kit.exposedError` if the database refuses them
   */
  upsert(chunks: readonly SinkChunk[], context: SinkContext): Promise<void>;
  /** Removes the chunks of a document that are not among those which are kept; all of them if none is kept. */
  deleteMissing(documentId: string, keptIds: readonly string[], context: SinkContext): Promise<void>;
  close(): Promise<void>;
}

/** Where a sink stores, and what. */
export interface SinkTarget {
  /** The options of the manifest, checked and with defaults. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Length of the vectors; undefined if the pipeline makes none. */
  readonly dimensions: number | undefined;
}

/** Stores chunks with their vectors in a database. Its manifest's `options` say where, such as a collection. */
export interface Sink {
  /**
   * Opens a collection, and makes it if it is not there.
   *
   * @throws Error `kit.refusedError` if its vectors have another length, after which a job does not try again;
   *   `kit.exposedError` if the database does not answer
   */
  open(target: SinkTarget, context: SinkContext): Promise<SinkCollection>;
  /**
   * Removes all chunks of documents, where the length of the vectors is not known: of documents that have no text any more,
   * or are gone. It makes no collection: if there is none, there is nothing to remove. Without this method, a collection
   * is opened without `dimensions` instead, and documents fail if it does not take that.
   *
   * @param documentIds perhaps very many
   * @throws Error `kit.exposedError` if the database refuses it, or does not answer
   */
  removeDocuments?(
    documentIds: readonly string[],
    options: SinkTarget['options'],
    context: SinkContext,
  ): Promise<void>;
}
