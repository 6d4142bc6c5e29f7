import type { Report } from './chunk.ts';

export interface SourceFile {
  /** Content of the file. Do not change it, and do not keep it after reading. */
  readonly bytes: Uint8Array;
  /** File name without folders; undefined if the request has none. */
  readonly name: string | undefined;
  /** Media type in lower case without parameters: `text/html`. Undefined if it is missing or generic. */
  readonly mediaType: string | undefined;
  /** The `charset` parameter of the request's media type, unchanged. */
  readonly charset: string | undefined;
}

export interface ReadFile {
  /** The text to chunk; offsets of chunks refer to it. */
  readonly text: string;
  /** Format of the returned text: `text/markdown`. By default, the format of the file. */
  readonly mediaType?: string | undefined;
  /** WHATWG name of the file's encoding: `utf-8`. Undefined if the file is not a text file. */
  readonly encoding?: string | undefined;
  readonly title?: string | undefined;
  /** Metadata from the file, such as author and language. The values must be JSON. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Source positions of stretches of the text. Neither starts nor ends may decrease from one place to the next. */
  readonly places?: readonly SourcePlace[] | undefined;
  /** Content of the file that is missing from the text. Undefined if nothing is missing. */
  readonly leftOut?: LeftOut | undefined;
  /** Texts of what `leftOut` counts, as far as known, with the same order as `places`. */
  readonly leftOutTexts?: readonly LeftOutText[] | undefined;
}

/**
 * Counts what a reader omitted, by kind: `{ note: 2, repeated_line: 12 }`. Callers receive these counts, and jobs add
 * them up. Use few kinds, in singular `snake_case`, never names from the file. Counts are positive.
 */
export type LeftOut = Readonly<Record<string, number>>;

/** A text that a reader omitted. `start` and `end` are where it stood in the returned text, usually an empty stretch. */
export interface LeftOutText extends SourcePlace {
  /** A key of `leftOut`. */
  readonly kind: string;
  readonly text: string;
}

/**
 * A stretch `[start, end)` of the text with its position in the source. Stretches may overlap, and text between them
 * may have no position. An empty stretch marks a position without text, such as a blank page.
 */
export interface SourcePlace extends SourcePosition {
  /** Offset in UTF-16 code units of the text. */
  readonly start: number;
  /** Offset in UTF-16 code units; at least `start`. */
  readonly end: number;
}

/** A position in a source, such as a page, a recording or a sheet. All members are optional. */
export interface SourcePosition {
  /** Page number from 1; slides are numbered like pages. */
  readonly page?: number | undefined;
  /** Edges of a rectangle on the page, as fractions of the displayed page, measured from its top left corner. */
  readonly box?: readonly [left: number, top: number, right: number, bottom: number] | undefined;
  /** Seconds from the beginning of the recording. */
  readonly start_time?: number | undefined;
  /** Seconds from the beginning of the recording; at least `start_time`. */
  readonly end_time?: number | undefined;
  readonly speaker?: string | undefined;
  readonly sheet?: string | undefined;
  /** A cell or a range of cells of the sheet: `B2`, `B2:D9`. */
  readonly cells?: string | undefined;
  /** Number of a notebook cell, from 1. */
  readonly cell?: number | undefined;
  /** Number of a picture in the file, from 1. The text at this position is the picture's caption or description. */
  readonly image?: number | undefined;
  /** Further members are written into answers unchanged. Places with different members are never joined. */
  readonly [member: string]: unknown;
}

export interface ReadContext {
  /** Adds response metadata about the reading of the file: the header `x-<name>`. */
  readonly report: Report;
  /** Aborts if the client disconnects or the time limit is reached. */
  readonly signal: AbortSignal;
  /** The reader's options. They have been checked, and missing options have their defaults. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Says that a part of the file has been read, such as a page: the time limit of a file then applies to the next. */
  readonly progress?: (() => void) | undefined;
}

/** A picture of a page in shades of grey, row by row: 0 is black, 255 is white. */
export interface PagePicture {
  readonly pixels: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** What was recognized in a picture. */
export interface RecognizedPage {
  readonly lines: readonly RecognizedLine[];
  /** Clockwise quarter turns by which the text is turned in the picture. */
  readonly turns: number;
  /** Angle in radians by which lines rise to the right, after those turns are undone. */
  readonly skew: number;
  /** Whether what was found is text; otherwise it is a drawing, blurred, or in another script. */
  readonly isReadable: boolean;
}

/**
 * A line, or the part of it in one column. Coordinates are pixels from the top left corner of the picture, after it
 * was turned back and straightened around its middle.
 */
export interface RecognizedLine {
  readonly text: string;
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
  /** The base line. */
  readonly base: number;
  /** The font size. */
  readonly size: number;
  /** From 0 to 1. */
  readonly confidence: number;
  /** About one in ten words of an uncertain line is wrong, and most words of an unreadable one. */
  readonly legibility: 'sure' | 'uncertain' | 'unreadable';
  /** Number of the paragraph; lines of one paragraph follow each other. */
  readonly paragraph: number;
}

/**
 * Turns files of the formats that its manifest names into text.
 *
 * ```ts
 * import { isUtf8 } from 'node:buffer';
 * import { type Factory, refusedError } from 'chunksmith/kit';
 * import type manifest from './manifest.ts';
 *
 * const createNotes: Factory<typeof manifest> = () => ({
 *   read({ bytes, name }) {
 *     if (!isUtf8(bytes)) throw refusedError('The note is not in UTF-8.');
 *     const text = new TextDecoder().decode(bytes);
 *     return { text, title: name, encoding: 'utf-8' };
 *   },
 * });
 *
 * export default createNotes;
 * ```
 */
export interface Reader {
  /** Returns the complete text of a file. If the file cannot be read, throws a `refusedError` with the reason. */
  read(file: SourceFile, context: ReadContext): ReadFile | Promise<ReadFile>;
  /**
   * Recognizes the text of a page's picture; only readers with OCR have it. Readers that name this one in `chooses`
   * call it for pages without text.
   */
  recognize?(picture: PagePicture, options: ReadContext['options']): Promise<RecognizedPage>;
}
