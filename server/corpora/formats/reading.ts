import type { LeftOut, SourcePlace } from '../../../core/contracts/reader.ts';
import type { FieldMapping, SourceLine } from '../shard.ts';
import type { SkipNote } from '../skip-note.ts';

/** How the documents of a source are read. */
export interface ReadOptions {
  /** How members of a line or row are used in a document; see the formats for their defaults. */
  readonly fields?: FieldMapping | undefined;
  /** Maximum bytes of a document in its source: of a line, a row or a file. */
  readonly limit: number;
  /** Turns a file that is not plain text into text. Without it such files are skipped. */
  readonly decode?: Decode | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether documents are returned as soon as they are read, because the source may be slow. */
  readonly isLive?: boolean | undefined;
}

/** A file that was read, in the form of a JSON line. */
export interface DecodedFile {
  readonly text: string;
  readonly title?: string | undefined;
  /** The format of the text, if it is not the one that the file name tells. */
  readonly mediaType?: string | undefined;
  /** Where its text comes from in the file, in the plan's offset unit. */
  readonly places?: readonly SourcePlace[] | undefined;
  /** Becomes JSON. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly leftOut?: LeftOut | undefined;
}

/**
 * @returns why the file is skipped, if it is not text and nothing here can read it; undefined for a text that is used
 *   as it is
 * @throws ServiceError which becomes the error of this document
 */
export type Decode = (file: {
  readonly bytes: Buffer;
  readonly name: string;
  /** Whether it is UTF-8. */
  readonly isText: boolean;
}) => Promise<DecodedFile | SkipNote | undefined>;

/** What was read, as it arrives. */
export type SourceLines = AsyncGenerator<readonly SourceLine[]>;

/** A line, or a row of CSV, as it is written in a file. */
export interface RawLine {
  /** Where it begins in the file. */
  readonly byte: number;
  /** Bytes of the file that it takes, with blank lines beside it. */
  readonly size: number;
  /** Without its end; undefined if it is longer than the limit. */
  readonly content: Buffer | undefined;
}
