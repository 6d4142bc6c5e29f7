import type { FieldMapping, SkipNote, SourceLine } from '../shard.ts';

/** How the documents of a source are read. */
export interface ReadOptions {
  /** Which members of a line or row are what of a document; see the formats for what they do without. */
  readonly fields?: FieldMapping | undefined;
  /** Most bytes of a document in its source: of a line, a row or a file. */
  readonly limit: number;
  /** How many times its own bytes may come out of a compressed file, unless that is less than one document may have. */
  readonly maxExpansion: number;
  /** Turns a file that is not text into text. Without it such files are skipped. */
  readonly decode?: Decode | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether documents are given as soon as they are read, because the source may wait before it has more. */
  readonly isLive?: boolean | undefined;
}

/** What was made of a file: what readers give, but for what a line of JSON has no place for. */
export interface DecodedFile {
  readonly text: string;
  readonly title?: string | undefined;
  /** Where the pages begin in the text, in the unit that the plan of the stream counts in. */
  readonly pages?: readonly number[] | undefined;
  /** Becomes JSON. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * @returns why the file is skipped, if it is not text and nothing here can read it
 * @throws ServiceError which becomes the error of this document
 */
export type Decode = (file: {
  readonly bytes: Buffer;
  readonly name: string;
}) => Promise<DecodedFile | SkipNote>;

/** What was read, as it comes. */
export type SourceLines = AsyncGenerator<readonly SourceLine[]>;
