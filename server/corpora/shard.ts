import type { LeftOut, SourcePlace } from '../../core/contracts/reader.ts';
import type { ServiceError } from '../../core/errors.ts';
import { type Described, described, listOf } from '../engine/answer/schemas.ts';
import type { SkipNote, StoredFile } from './storage/storage.ts';

/** Formats of a source. Each of `files` is one document; in the other formats, each line or row is one. */
export const FORMATS = ['files', 'jsonl', 'csv', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

/** A part of a source that can be read independently. Plain data that the database keeps. */
export interface ShardRange {
  readonly format: Format;
  /** One file; for `files` one or more. */
  readonly files: readonly StoredFile[];
  /** The byte range in which JSON lines or Parquet row groups begin; missing for the whole file. */
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
  /** The byte where the line begins; in a compressed file, in the decompressed content. */
  readonly byte?: number;
  readonly row?: number;
}

/** Formats a place: `file.jsonl, byte 12` or `table.csv, row 3`. */
export function placeInWords({ source, byte, row }: Place): string {
  if (row !== undefined) return `${source}, row ${row}`;
  return byte === undefined ? source : `${source}, byte ${byte}`;
}

export type SourceLine = SourceDocument | Skip;

/** The default folder for the output of jobs. It is skipped when folders are read. */
export const OUTPUT = 'chunksmith-jobs';

export interface SourceDocument {
  readonly place: Place;
  /** Bytes of the source for this document, for progress. An estimate if the source is compressed. */
  readonly size: number;
  /** The line, or the error in its place. */
  readonly document: Buffer | ServiceError;
  /** Content of the file that its reader left out. */
  readonly leftOut?: LeftOut | undefined;
  /** Whether it represents all unreadable documents of a file of lines or rows, whose ids are unknown. */
  readonly isOfMany?: boolean;
}

export interface Skip extends SkipNote {
  readonly place: Place;
  readonly id?: string | undefined;
}

export interface ReadOptions {
  readonly fields?: FieldMapping | undefined;
  readonly limit: number;
  /** Decodes a file that is not plain text. Without it, such files are skipped. */
  readonly decode?: Decode | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether to return documents as soon as they are read, because the source may be slow. */
  readonly isLive?: boolean | undefined;
}

export interface DecodedFile {
  readonly text: string;
  readonly title?: string | undefined;
  /** The format of the text, if it differs from what the file name says. */
  readonly mediaType?: string | undefined;
  /** The places of the text in the file, in the job's offset unit. */
  readonly places?: readonly SourcePlace[] | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly leftOut?: LeftOut | undefined;
}

/**
 * @returns why the file is skipped, if nothing here can read it; undefined for text that is used unchanged
 * @throws ServiceError which becomes the error of this document
 */
export type Decode = (file: {
  readonly bytes: Buffer;
  readonly name: string;
  readonly isText: boolean;
}) => Promise<DecodedFile | SkipNote | undefined>;

export type SourceLines = AsyncGenerator<readonly SourceLine[]>;

export interface RawLine {
  readonly byte: number;
  /** Bytes of the file for this line, including adjacent blank lines. */
  readonly size: number;
  /** The line without its end; undefined if it is longer than the limit. */
  readonly content: Buffer | undefined;
}
