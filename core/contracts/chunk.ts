/** Units of `start_index` and `end_index` in requests and answers. */
export const OFFSET_UNITS = ['code_point', 'utf16', 'byte'] as const;
export type OffsetUnit = (typeof OFFSET_UNITS)[number];

/** A stretch `[start, end)` of the source text, in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** Number of tokens of the span. By default, the core counts the span's own text. */
  readonly token_count?: number | undefined;
  /**
   * Information that a reader needs before the text, such as the table header for rows in the middle of a table. The
   * context is not part of the text. An embedder may put the context before the text.
   */
  readonly context?: string | undefined;
  /** Further fields of the chunk. They are written into the answer unchanged. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Further fields of the chunk. Each field is a list of stretches of the text, in the order of the text. The answer
   * adds a `start_index` and an `end_index` to each stretch, in the answer's unit.
   */
  readonly located?: Readonly<Record<string, readonly Located[]>> | undefined;
}

/** A stretch `[start, end)` of the source text within a chunk, in UTF-16 code units, with its fields. */
export interface Located {
  readonly start: number;
  readonly end: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What a request says about a document besides its text. Empty if the request has only a text. */
export interface DocumentInfo {
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  /** The name of the document's file; it may include folders. */
  readonly filename?: string | undefined;
  /** Format of the text, such as `text/markdown`; undefined if neither a reader nor the request names it. */
  readonly mediaType?: string | undefined;
  /** The caller's metadata. Plugins cannot change it: the answer repeats the metadata exactly as it was sent. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The start of each page, in the unit of the chunks' offsets. The starts never decrease. Undefined if the document
   * has no pages. Only refineries receive this field.
   */
  readonly pages?: readonly number[] | undefined;
}

/**
 * Adds response metadata. `report('code-language', 'go')` becomes the header `x-code-language: go`. In a batch, the
 * header lists one value per document. Names and values are ASCII, and values contain no commas. The manifest lists
 * all names in `reports`.
 */
export type Report = (name: string, value: string) => void;

/** A chunk in requests and answers. Its offsets are in the unit that the request chose. */
export interface Chunk {
  text: string;
  start_index: number;
  end_index: number;
  token_count: number;
  [field: string]: unknown;
}
