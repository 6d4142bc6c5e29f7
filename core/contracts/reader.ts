import type { Report } from './chunk.ts';

export interface SourceFile {
  /** Content of the file. Do not change it, and do not keep it after reading. */
  readonly bytes: Uint8Array;
  /** File name without folders, if the request gives one. */
  readonly name: string | undefined;
  /** In lower case without parameters, such as `text/html`. `undefined` if missing or generic. */
  readonly mediaType: string | undefined;
  /** Encoding in the request's media type, exactly as written there. */
  readonly charset: string | undefined;
}

export interface ReadFile {
  /** The text to chunk; offsets of chunks refer to it. */
  readonly text: string;
  /** Format of the text, if it differs from the file's format: `text/markdown`. */
  readonly mediaType?: string | undefined;
  /** Encoding of the file, by its WHATWG name: `utf-8`. Missing if the file is not text. */
  readonly encoding?: string | undefined;
  readonly title?: string | undefined;
  /** Metadata from the file, such as author and language. Written as JSON. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** The source positions of stretches of the text. Both starts and ends never decrease. */
  readonly places?: readonly SourcePlace[] | undefined;
  /** Content of the file that the text lacks. Missing if the text is complete. */
  readonly leftOut?: LeftOut | undefined;
}

/**
 * Number of omitted things of each kind: `{ note: 2, repeated_line: 12 }`. Callers receive these counts, and jobs
 * add them up. Use few names, in singular `snake_case`, never from the file. Counts are positive.
 */
export type LeftOut = Readonly<Record<string, number>>;

/**
 * A stretch `[start, end)` of the text with its position in the source. Stretches may overlap and leave gaps. An
 * empty stretch marks a position without text, such as a blank page.
 */
export interface SourcePlace extends SourcePosition {
  /** Offset in UTF-16 code units of the text. */
  readonly start: number;
  /** Offset in UTF-16 code units; at least `start`. */
  readonly end: number;
}

/**
 * A position in a source, such as a page, a recording or a sheet, with the members that the source provides.
 */
export interface SourcePosition {
  /** Page number from 1; slides are numbered like pages. */
  readonly page?: number | undefined;
  /** Left, top, right and bottom, as fractions of the page as shown, from its top left corner. */
  readonly box?: readonly [left: number, top: number, right: number, bottom: number] | undefined;
  /** Seconds from the beginning of the recording. */
  readonly start_time?: number | undefined;
  /** Seconds from the beginning of the recording; at least `start_time`. */
  readonly end_time?: number | undefined;
  readonly speaker?: string | undefined;
  readonly sheet?: string | undefined;
  /** A cell of the sheet, or a range: `B2:D9`. */
  readonly cells?: string | undefined;
  /** Number of a notebook cell, from 1. */
  readonly cell?: number | undefined;
  /** Number of a picture in the file, from 1. The text is its caption or description. */
  readonly image?: number | undefined;
  /** Further members are written into answers unchanged. Places with different values are not joined. */
  readonly [member: string]: unknown;
}

export interface ReadContext {
  /** Adds response metadata about the reading of the file: the header `x-<name>`. */
  readonly report: Report;
  /** Aborts if the client disconnects or the time limit is reached. */
  readonly signal: AbortSignal;
  /** The reader's options, checked and with defaults. */
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * Turns files of the formats that its manifest names into text.
 *
 * ```ts
 * import { type Factory, refusedError } from 'chunksmith/kit';
 * import type manifest from './manifest.ts';
 *
 * const createNotes: Factory<typeof manifest> = () => ({
 *   read({ bytes, name }) {
 *     const text = new TextDecoder().decode(bytes);
 *     if (!text.startsWith('%')) throw refusedError('A note begins with %.');
 *     return { text: text.slice(1), title: name, encoding: 'utf-8' };
 *   },
 * });
 *
 * export default createNotes;
 * ```
 */
export interface Reader {
  /** Returns the complete text of a file. If it cannot, it throws a `refusedError` with the reason. */
  read(file: SourceFile, context: ReadContext): ReadFile | Promise<ReadFile>;
}
