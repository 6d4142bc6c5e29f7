import type { ServiceError } from '../../core/errors.ts';
import type { StoredFile } from './storage/storage.ts';

/**
 * What a source holds: `files` are one document each; a line of JSON Lines, and a row of CSV or Parquet, is one
 * document.
 */
export const FORMATS = ['files', 'jsonl', 'csv', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

/** A part of a source that is read by itself. Plain data that the database keeps. */
export interface ShardRange {
  readonly format: Format;
  /** One file, or of `files` one or more. */
  readonly files: readonly StoredFile[];
  /** The bytes of JSON Lines in which the lines begin, or the row groups of Parquet; the whole file if it is missing. */
  readonly part?: { readonly from: number; readonly to: number };
  /** Bytes of the source, for progress. */
  readonly bytes: number;
}

/** Which members of a line or row are what of a document; those that are not named are left out. */
export interface FieldMapping {
  readonly id?: string;
  /** By default `text`. */
  readonly text?: string;
  readonly title?: string;
  readonly filename?: string;
  /** Becomes the metadata; `*` stands for all that have no other use. */
  readonly metadata?: readonly string[];
}

/** Where a document stands in its source. */
export interface Place {
  /** Name of the file. */
  readonly source: string;
  /** Where its line begins, in bytes; of a compressed file, in those that come out. */
  readonly byte?: number;
  /** Its row, from 0. */
  readonly row?: number;
}

/** `file.jsonl, byte 12`, `table.csv, row 3`. */
export function placeInWords({ source, byte, row }: Place): string {
  if (row !== undefined) return `${source}, row ${row}`;
  return byte === undefined ? source : `${source}, byte ${byte}`;
}

/** What was read of a source, in its order. */
export type SourceLine = SourceDocument | SkippedFile;

/** The folder of the output of jobs that name none; no folder is read with it. */
export const OUTPUT = 'chunksmith-jobs';

/** A document of a source as the service takes it from a stream: a line of JSON. */
export interface SourceDocument {
  readonly place: Place;
  /** Bytes of the source that it takes, for progress; an estimate if the source is compressed. */
  readonly size: number;
  /** The line, or why there is none. */
  readonly document: Buffer | ServiceError;
  /** Whether it stands for all that is missing of a file of lines or rows, whose ids nobody knows. */
  readonly isOfMany?: boolean;
}

/**
 * Why nothing came of a file, though nothing failed: the readers that take it cannot run here; it is not text and no reader
 * takes it; `.gitignore`, or a name with a dot in front, leaves it out (on the command line alone); or it was read and is
 * `empty`, which is a document without chunks.
 */
export type SkipReason = 'no_reader' | 'binary' | 'ignored' | 'empty';

/** What is said of a file that is skipped. */
export interface SkipNote {
  readonly skipped: SkipReason;
  /** Why, and what to change, in a sentence. */
  readonly detail: string;
  /** The same of several files, in a few words: `need DOCLING_URL or TIKA_URL`. */
  readonly brief: string;
}

/** A file that is no document. */
export interface SkippedFile extends SkipNote {
  readonly place: Place;
  readonly size: number;
}
