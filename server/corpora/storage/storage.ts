import { ServiceError } from '../../../core/errors.ts';
import type { SkipReason } from '../../store/jobs/contract.ts';

export interface SkipNote {
  readonly skipped: SkipReason;
  /** A sentence with the reason and the remedy. */
  readonly detail: string;
  /** A few words for several files: `need DOCLING_URL or TIKA_URL`. */
  readonly brief: string;
}

const unreadableNote = (detail: string, brief: string): SkipNote => ({
  skipped: 'unreadable',
  detail,
  brief,
});

export const UNREAD = {
  hidden: {
    skipped: 'ignored',
    detail: 'Its name begins with a dot: name it to include it.',
    brief: 'have a name that begins with a dot',
  },
  linkedFolder: {
    skipped: 'ignored',
    detail: 'It is a link to a folder: name the folder to include it.',
    brief: 'link to a folder',
  },
  encoding: unreadableNote('Its name is not UTF-8: rename it.', 'have a name that is not UTF-8'),
  outside: unreadableNote('It is a link that leads outside: put a copy in its place.', 'lead outside'),
  dangling: unreadableNote('It is a link to nothing: correct or remove it.', 'link to nothing'),
  special: unreadableNote(
    'It is neither a file nor a folder, but a pipe, a socket or a device.',
    'are neither file nor folder',
  ),
  forbidden: unreadableNote('There is no permission to read it: grant it.', 'lack permission'),
  key: unreadableNote(
    'Its key has an empty part, "." or "..", which no path can name: copy it to another key.',
    'have a key that no path can name',
  ),
} as const satisfies Readonly<Record<string, SkipNote>>;

export interface StoredFile {
  /** Path in the storage, with `/` between folders and without a leading `/`. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Changes with the content: modification time and size, or the ETag of an object. */
  readonly version: string;
  /** Why the file is not read. It is listed so that nothing is left out silently. Size 0, version empty. */
  readonly unread?: SkipNote;
}

/** Creates an entry that is not read. @param name ends with `/` if it is a folder */
export function unreadFile(name: string, unread: SkipNote): StoredFile {
  return { name, size: 0, version: '', unread };
}

export interface WrittenFile {
  readonly name: string;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** A file being written. It gets its name only when it is finished. */
export interface FileWriter {
  /** @param bytes are handed over to the writer, which may free their memory */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves once the file exists under its name, complete and durable. */
  finish(): Promise<WrittenFile>;
  /** Removes everything, as far as possible. May be called at any time, even after a failure. */
  discard(): Promise<void>;
}

/**
 * Files to read by name: in a local folder, in a bucket, or in a request. Every method throws `ServiceError`:
 * `storage_failed` if the storage cannot be used (after a few retries of temporary failures), `path_outside` for a
 * name outside the storage, and `path_unusable` for other bad names.
 */
export interface SourceStorage {
  readonly label: string;
  /**
   * Lists the files below a folder and its subfolders, in the order of the UTF-8 of their names. `''` is the whole
   * storage. Hidden names, links outside and the like have `unread`.
   */
  list(folder: string): AsyncIterable<StoredFile>;
  find(name: string): Promise<StoredFile | undefined>;
  /**
   * Reads the bytes of a file in [from, to), or all of them, in pieces of at most about 1 MB.
   *
   * @throws ServiceError `source_changed` if the file no longer has the requested version, or no longer exists;
   * `source_unreadable` if this file may not be read
   */
  read(file: StoredFile, range?: { readonly from: number; readonly to: number }): AsyncIterable<Buffer>;
}

export interface Storage extends SourceStorage {
  create(name: string): Promise<FileWriter>;
  /**
   * Writes a small file unless one exists with its name. Only one of several concurrent calls writes. After a lost
   * answer it may return false, although the file exists with these bytes.
   *
   * @returns whether it was written
   */
  createOnce(name: string, bytes: Uint8Array): Promise<boolean>;
  /**
   * Gives a finished file its final name if renaming is cheap, replacing an existing file. Idempotent.
   *
   * @returns the resulting name of the file
   */
  settle(name: string, lastName: string): Promise<string>;
  remove(name: string): Promise<void>;
  /** Removes an empty folder, if the storage has folders. */
  removeFolder(name: string): Promise<void>;
}

/** @param source name of the file @param reason completes the sentence "it cannot be read:" */
export function unreadable(source: string, reason: string, cause?: unknown): ServiceError {
  return new ServiceError('source_unreadable', { source, reason }, cause);
}
