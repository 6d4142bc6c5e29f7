import { ServiceError } from '../../../core/errors.ts';
import type { SkipReason } from '../../store/jobs/contract.ts';

export interface SkipNote {
  readonly skipped: SkipReason;
  /** One sentence: why the file is not read, and what the user can do. */
  readonly detail: string;
  /** A few words that can follow a number of files, such as `need DOCLING_URL or TIKA_URL`. */
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
  /** Changes whenever the content changes: modification time and size, or the ETag of an object. */
  readonly version: string;
  /** Why the file is not read. Listed so that users see the omission. `size` is 0 and `version` is empty. */
  readonly unread?: SkipNote;
}

/** Creates an entry for an unread file. @param name ends with `/` if the entry is a folder */
export function unreadFile(name: string, unread: SkipNote): StoredFile {
  return { name, size: 0, version: '', unread };
}

export interface WrittenFile {
  readonly name: string;
  readonly bytes: number;
  /** Digest of the content in hexadecimal. */
  readonly sha256: string;
}

/** A file being written. It appears under its name only when it is finished. */
export interface FileWriter {
  /** @param bytes must not be used by the caller afterwards, because the writer may free their memory */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves once the complete file exists under its name and is durable. */
  finish(): Promise<WrittenFile>;
  /** Removes everything written, as far as possible. May be called at any time, even after a failure. */
  discard(): Promise<void>;
}

/**
 * Files to read by name: in a local folder, in a bucket, or in a request. Every method throws `ServiceError`:
 * `storage_failed` if the storage cannot be used, after a few retries of temporary failures; `path_outside`
 * if the name leads outside the storage; `path_unusable` for other invalid names.
 */
export interface SourceStorage {
  readonly label: string;
  /**
   * Lists the files below a folder and its subfolders, in the order of their names in UTF-8. `''` is the
   * whole storage. Entries that must not be read have `unread`, such as hidden names and links outside.
   */
  list(folder: string): AsyncIterable<StoredFile>;
  find(name: string): Promise<StoredFile | undefined>;
  /**
   * Reads the bytes of a file in [from, to), by default the whole file, in pieces of up to about 1 MB.
   *
   * @throws ServiceError `source_changed` if the file no longer has the requested version, or no longer
   * exists; `source_unreadable` if permission for the file is missing
   */
  read(file: StoredFile, range?: { readonly from: number; readonly to: number }): AsyncIterable<Buffer>;
}

export interface Storage extends SourceStorage {
  create(name: string): Promise<FileWriter>;
  /**
   * Writes a small file unless a file with its name exists. Only one of several concurrent calls succeeds. If
   * the answer of a successful write is lost, the result may be false.
   *
   * @returns whether this call wrote the file
   */
  createOnce(name: string, bytes: Uint8Array): Promise<boolean>;
  /**
   * Gives a finished file its final name and replaces an existing file, if renaming is cheap. Idempotent.
   *
   * @returns the resulting name of the file
   */
  settle(name: string, lastName: string): Promise<string>;
  remove(name: string): Promise<void>;
  /** Removes a folder if it is empty. Does nothing in storages without folders. */
  removeFolder(name: string): Promise<void>;
}

/** @param source name of the file @param reason completes the sentence "it cannot be read:" */
export function unreadable(source: string, reason: string, cause?: unknown): ServiceError {
  return new ServiceError('source_unreadable', { source, reason }, cause);
}
