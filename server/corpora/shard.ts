import type { LeftOut, SourcePlace } from '../../core/contracts/reader.ts';
import type { ServiceError } from '../../core/errors.ts';
import { type Described, described, listOf } from '../engine/answer/schemas.ts';
import type { SkipNote, StoredFile } from './storage/storage.ts';

/**
 * What a source contains: `files` are one document each; a line of JSON Lines, and a row of CSV or Parquet, is one
 * document.
 */
export const FORMATS = ['files', 'jsonl', 'csv', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

/** An independently readable part of a source. Plain data that the database keeps. */
export interface ShardRange {
  readonly format: Format;
  /** One file, or for `files` one or more. */
  readonly files: readonly StoredFile[];
  /** The byte range in which lines of JSON Lines, or row groups of Parquet, begin; missing for the whole file. */
  readonly part?: { readonly from: number; readonly to: number };
  /** Bytes of the source, for progress. */
  readonly bytes: number;
}

const member = { type: 'string', minLength: 1, maxLength: 1000 } as const;

/** How members of a line or row are used in a document; those that are not named are dropped. */
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
  /** Where its line begins, in bytes; in a compressed file, in decompressed bytes. */
  readonly byte?: number;
  /** Its row, from 0. */
  readonly row?: number;
}

/** `file.jsonl, byte 12`, `table.csv, row 3`. */
export function placeInWords({ source, byte, row }: Place): string {
  if (row !== undefined) return `${source}, row ${row}`;
  return byte === undefined ? source : `${source}, byte ${byte}`;
}

/** What was read from a source, in order. */
export type SourceLine = SourceDocument | Skip;

/** The default folder for the output of jobs; it is skipped when folders are read. */
export const OUTPUT = 'chunksmith-jobs';

/** A document of a source as the service accepts it in a stream: a line of JSON. */
export interface SourceDocument {
  readonly place: Place;
  /** Bytes of the source that it takes, for progress; an estimate if the source is compressed. */
  readonly size: number;
  /** The line, or why it is missing. */
  readonly document: Buffer | ServiceError;
  /** What its reader left out of the file. */
  readonly leftOut?: LeftOut | undefined;
  /** Whether it represents all that is missing from a file of lines or rows, whose ids are unknown. */
  readonly isOfMany?: boolean;
}

/** A file or document that was skipped, and where it is. */
export interface Skip extends SkipNote {
  readonly place: Place;
  readonly id?: string | undefined;
}

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
