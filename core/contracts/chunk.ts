/** The unit in which requests and answers give `start_index` and `end_index`. */
export const OFFSET_UNITS = ['code_point', 'utf16', 'byte'] as const;
export type OffsetUnit = (typeof OFFSET_UNITS)[number];

/** A stretch `[start, end)` of the source text, in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** Tokens of the span. If it is left out, the core counts the span's own text. */
  readonly token_count?: number | undefined;
  /**
   * What a reader needs to know before the text and cannot find in it, such as the header of a table that the chunk
   * continues. It is not part of the text; whoever embeds the chunk may put it before the text.
   */
  readonly context?: string | undefined;
  /** Further fields of the chunk, written into the answer as they are. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Further fields of the chunk that are lists of stretches of the text, each list in the order of the text;
   * they get `start_index` and `end_index` in the answer's unit.
   */
  readonly located?: Readonly<Record<string, readonly Located[]>> | undefined;
}

/** A stretch `[start, end)` of the source text within a chunk, in UTF-16 code units, with its fields. */
export interface Located {
  readonly start: number;
  readonly end: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What a request says about a document besides its text. Empty for a text given alone. */
export interface DocumentInfo {
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  /** The name of its file, perhaps with folders. */
  readonly filename?: string | undefined;
  /** The format of its text, if a reader or a request names one: `text/markdown`. */
  readonly mediaType?: string | undefined;
  /** The caller's metadata. The answer has its bytes as they came in, whatever a plugin does with this value. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Where its pages begin, in the unit of the chunks' offsets; never decreasing. Undefined if none of its places has
   * a page. Only refineries see it.
   */
  readonly pages?: readonly number[] | undefined;
}

/**
 * Adds response metadata: `report('code-language', 'go')` becomes the header `x-code-language: go`; for a
 * batch the header lists one value per document. Names and values are ASCII, values without commas. The manifest
 * lists the names in `reports`.
 */
export type Report = (name: string, value: string) => void;

/** A chunk as requests and answers carry it; offsets are in the unit that the request chose. */
export interface Chunk {
  text: string;
  start_index: number;
  end_index: number;
  token_count: number;
  [field: string]: unknown;
}
