import type { LeftOut, LeftOutText, SourcePlace } from '../../core/contracts/reader.ts';
import type { ServiceError } from '../../core/errors.ts';
import { type Described, described, listOf } from '../engine/answer/schemas.ts';
import type { SkipNote, StoredFile } from './storage/storage.ts';

/** Formats of a source. A document is a whole file in `files`, and a line or row in the other formats. */
export const FORMATS = ['files', 'jsonl', 'csv', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

/** A part of a source that can be read independently. Plain data that the database keeps. */
export interface ShardRange {
  readonly format: Format;
  /** The files of the part: one or more for `files`, otherwise exactly one. */
  readonly files: readonly StoredFile[];
  /** Bytes in which the lines begin, or indexes of Parquet row groups; missing means the whole file. */
  readonly part?: { readonly from: number; readonly to: number };
  readonly bytes: number;
}

const member = { type: 'string', minLength: 1, maxLength: 1000 } as const;

/** Maps members of a line or row to a document. Members that are not named are dropped. */
export const fieldMapping = {
  title: 'FieldMapping',
  type: 'object',
  description: 'Maps members of a line, or columns of a table, to parts of a document.',
  properties: {
    id: member,
    text: described('By default `text`.', member),
    title: member,
    filename: member,
    metadata: described('Those that become the metadata; `*` means all without another use.', listOf(member)),
  },
  additionalProperties: false,
} as const;

export type FieldMapping = Described<typeof fieldMapping>;

export interface Place {
  readonly source: string;
  /** Offset of the first byte of the line; for a compressed file, the offset in the decompressed content. */
  readonly byte?: number;
  readonly row?: number;
}

/** Formats a place: `file.jsonl, byte 12` or `table.csv, row 3`. */
export function placeInWords({ source, byte, row }: Place): string {
  if (row !== undefined) return `${source}, row ${row}`;
  return byte === undefined ? source : `${source}, byte ${byte}`;
}

export type SourceLine = SourceDocument | Skip;

/** The default folder for the output of jobs. Skipped when the folder around it is read as a source. */
export const OUTPUT = 'chunksmith-jobs';

export interface SourceDocument {
  readonly place: Place;
  /** Bytes of the source that this document adds to progress. An estimate if the source is compressed. */
  readonly size: number;
  /** The line of the document, or the error that replaces the line. */
  readonly document: Buffer | ServiceError;
  /** Content of the file that its reader left out. */
  readonly leftOut?: LeftOut | undefined;
  /** True for an error that represents several documents with unknown ids: the unreadable rest of a file. */
  readonly isOfMany?: boolean;
}

export interface Skip extends SkipNote {
  readonly place: Place;
  readonly id?: string | undefined;
}

export interface ReadOptions {
  readonly fields?: FieldMapping | undefined;
  readonly limit: number;
  /** Decodes files that are not plain text. If undefined, such files are skipped. */
  readonly decode?: Decode | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether to return documents as soon as they are read, because the source may be slow. */
  readonly isLive?: boolean | undefined;
}

export interface DecodedFile {
  readonly text: string;
  readonly title?: string | undefined;
  /** The format of the text, if the file name gives no format or a different one. */
  readonly mediaType?: string | undefined;
  /** The places of the text in the file, in the job's offset unit. */
  readonly places?: readonly SourcePlace[] | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly leftOut?: LeftOut | undefined;
  /** The texts that were left out, in the job's offset unit. */
  readonly leftOutTexts?: readonly LeftOutText[] | undefined;
}

/**
 * @returns why the file is skipped, if no reader here can read it; undefined if its text is used unchanged
 * @throws ServiceError the error of this document
 */
export type Decode = (file: {
  readonly bytes: Buffer;
  readonly name: string;
  readonly isText: boolean;
}) => Promise<DecodedFile | SkipNote | undefined>;

export type SourceLines = AsyncGenerator<readonly SourceLine[]>;

export interface RawLine {
  readonly byte: number;
  /** Bytes of the file that count for this line: the line, its line end, and blank lines next to it. */
  readonly size: number;
  /** The line without its end; undefined if it is longer than the limit. */
  readonly content: Buffer | undefined;
}
