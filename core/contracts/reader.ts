import type { Report } from './chunk.ts';

export interface SourceFile {
  /** Must not be changed, nor kept once the file has been read. */
  readonly bytes: Uint8Array;
  /** Its name without folders, if the request gives one. */
  readonly name: string | undefined;
  /**
   * In lower case and without parameters, such as `text/html`; `undefined` if the request gives none, or only a
   * generic one.
   */
  readonly mediaType: string | undefined;
  /** The encoding named in the request's media type, as written there. */
  readonly charset: string | undefined;
}

export interface ReadFile {
  /** The text to be chunked; offsets of chunks refer to it. */
  readonly text: string;
  /** The format of the text, if it differs from the file's: `text/markdown`. */
  readonly mediaType?: string | undefined;
  /**
   * The encoding that the bytes were decoded with, by its name in the WHATWG Encoding Standard: `utf-8`. Missing for
   * a file that is not text.
   */
  readonly encoding?: string | undefined;
  readonly title?: string | undefined;
  /** The file's own metadata, such as author and language. Becomes JSON. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Where its text comes from in the file; neither starts nor ends decrease from one place to the next. */
  readonly places?: readonly SourcePlace[] | undefined;
  /** The content of the file that is not in the text. Missing if all of it is. */
  readonly leftOut?: LeftOut | undefined;
}

/**
 * How many things of each kind were left out: `{ note: 2, repeated_line: 12 }`. Callers get these counts, and jobs add
 * them up. Names are few, in `snake_case` and in the singular, and never come from the file. Counts are positive.
 */
export type LeftOut = Readonly<Record<string, number>>;

/**
 * A stretch `[start, end)` of the text, and where in the source it comes from. Stretches may overlap and leave gaps; an
 * empty one says that there is no text, as on a blank page.
 */
export interface SourcePlace extends SourcePosition {
  /** In UTF-16 units of the text. */
  readonly start: number;
  /** In UTF-16 units, at least `start`. */
  readonly end: number;
}

/** A position in a source: on a page, in a recording, in a sheet. It has the members that its source knows. */
export interface SourcePosition {
  /** From 1; a slide is a page. */
  readonly page?: number | undefined;
  /** Left, top, right and bottom as fractions of the page as it is shown, from its top left corner. */
  readonly box?: readonly [left: number, top: number, right: number, bottom: number] | undefined;
  /** In seconds from the beginning of the recording. */
  readonly start_time?: number | undefined;
  /** In seconds, not before `start_time`. */
  readonly end_time?: number | undefined;
  readonly speaker?: string | undefined;
  readonly sheet?: string | undefined;
  /** A cell of the sheet, or a range: `B2:D9`. */
  readonly cells?: string | undefined;
  /** A cell of a notebook, from 1. */
  readonly cell?: number | undefined;
  /** A picture of the file, from 1, whose caption or description the text is. */
  readonly image?: number | undefined;
  /** Further members keep places apart, and go into answers as they are. */
  readonly [member: string]: unknown;
}

export interface ReadContext {
  /** Adds response metadata about how the file was read: the header `x-<name>`. */
  readonly report: Report;
  /** Aborts once the answer is no longer wanted: the client has gone, or time is up. */
  readonly signal: AbortSignal;
  /** The options that the reader's manifest lists, checked and with defaults. */
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
  /**
   * Returns the text of a file. A file that it cannot read is an error for the caller that says why
   * (`refusedError`), never a text with something missing.
   */
  read(file: SourceFile, context: ReadContext): ReadFile | Promise<ReadFile>;
}
