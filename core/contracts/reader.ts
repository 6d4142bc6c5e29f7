import type { Report } from './chunk.ts';

/** A file as it came in a request. */
export interface SourceFile {
  /** Not to be changed, and not to be kept once the file is read. */
  readonly bytes: Uint8Array;
  /** Its name without folders, if the request gives one. */
  readonly name: string | undefined;
  /** In lower case and without parameters, such as `text/html`; `undefined` if the request gives none that says anything. */
  readonly mediaType: string | undefined;
  /** The encoding that the request names in its media type, as it is written there. */
  readonly charset: string | undefined;
}

/** What a reader has made of a file. */
export interface ReadFile {
  /** What is chunked; the offsets of chunks are those in it. */
  readonly text: string;
  /** What the text is written in, if not what the file is: `text/markdown` of a PDF. */
  readonly mediaType?: string | undefined;
  /** The encoding that the bytes were decoded by, by its name of the WHATWG Encoding Standard: `utf-8`. None of a file that is not text. */
  readonly encoding?: string | undefined;
  readonly title?: string | undefined;
  /** What the file says of itself: its author, its language. Becomes JSON. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Where the pages begin in the text, in UTF-16 units; the first is 0, and they do not fall. */
  readonly pages?: readonly number[] | undefined;
}

/** What a reader is given besides the file. */
export interface ReadContext {
  /** Adds response metadata about how the file was read: the header `x-<name>`. */
  readonly report: Report;
  /** Aborts once the answer is not wanted any more: the client has gone, or the time is up. */
  readonly signal: AbortSignal;
}

/** Turns the bytes of files of the formats that its manifest names into text. */
export interface Reader {
  /**
   * Returns the text of a file. A file that it cannot read is an error for the caller that says why
   * (`kit.refusedError`), never a text with something lost.
   */
  read(file: SourceFile, context: ReadContext): ReadFile | Promise<ReadFile>;
}
