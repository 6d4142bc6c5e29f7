import { ServiceError } from '../../../core/errors.ts';
import type { SkipReason } from '../../store/jobs/contract.ts';

export interface SkipNote {
  readonly skipped: SkipReason;
  /** Why, and what to change, in a sentence. */
  readonly detail: string;
  /** The same for several files, in a few words: `need DOCLING_URL or TIKA_URL`. */
  readonly brief: string;
}

const unreadableNote = (detail: string, brief: string): SkipNote => ({
  skipped: 'unreadable',
  detail,
  brief,
});

/** Why an entry of a folder, or an object of a bucket, is not read. */
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
  /** Its path in the storage, with `/` between folders and no leading one. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Differs whenever the content does: the modification time and the size, or the ETag of an object. */
  readonly version: string;
  /** Why it is not read. It is listed so that nothing is left out in silence; its size is 0, and its version empty. */
  readonly unread?: SkipNote;
}

/** An entry that is not read. @param name with a `/` at its end if it is a folder */
export function unreadFile(name: string, unread: SkipNote): StoredFile {
  return { name, size: 0, version: '', unread };
}

/** A file that was written completely and durably. */
export interface WrittenFile {
  readonly name: string;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** A file being written. Nothing exists under its name until it is finished. */
export interface FileWriter {
  /** @param bytes belong to the writer from then on, which may free their memory */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves once the file exists under its name, complete and durable. */
  finish(): Promise<WrittenFile>;
  /** Leaves nothing behind, as far as possible. May be called at any time, and after a failure. */
  discard(): Promise<void>;
}

/**
 * Files to read, by their names: a folder of this machine, a bucket, or the documents of a request.
 * Every method throws `ServiceError` `storage_failed` if the storage cannot be used, after a few retries if the
 * failure may be temporary, `path_outside` for a name that leads outside, and `path_unusable` for other bad names.
 */
export interface SourceStorage {
  /** Its name in logs and messages, without keys. */
  readonly label: string;
  /**
   * The files below a folder, including subfolders, in the order of the UTF-8 of their names; `''` is the whole
   * storage. What is not read, such as names that begin with a dot and links outside the storage, is `unread`.
   */
  list(folder: string): AsyncIterable<StoredFile>;
  find(name: string): Promise<StoredFile | undefined>;
  /**
   * The bytes of a file in [from, to), or all of them, in pieces of at most about 1 MB.
   *
   * @throws ServiceError `source_changed` if it is no longer the requested version, or is gone;
   *   `source_unreadable` if this file may not be read
   */
  read(file: StoredFile, range?: { readonly from: number; readonly to: number }): AsyncIterable<Buffer>;
}

export interface Storage extends SourceStorage {
  create(name: string): Promise<FileWriter>;
  /**
   * Writes a small file, unless one with its name exists: of several concurrent calls, one writes. After a lost
   * answer it may return false although the file exists with these bytes.
   *
   * @returns whether it was written
   */
  createOnce(name: string, bytes: Uint8Array): Promise<boolean>;
  /**
   * Gives a finished file its final name if renaming is cheap, replacing an existing file; idempotent.
   *
   * @returns the resulting name of the file
   */
  settle(name: string, lastName: string): Promise<string>;
  /** Removes a file, if it exists. */
  remove(name: string): Promise<void>;
  /** Removes an empty folder, if the storage has folders. */
  removeFolder(name: string): Promise<void>;
}

/** @param source name of the file @param reason completes the sentence "it cannot be read:" */
export function unreadable(source: string, reason: string, cause?: unknown): ServiceError {
  return new ServiceError('source_unreadable', { source, reason }, cause);
}
