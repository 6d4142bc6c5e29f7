import { ServiceError } from '../../../core/errors.ts';

/** A file of a storage. */
export interface StoredFile {
  /** Its path in the storage, with `/` between folders and none in front. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Differs whenever the content does: the time of the last change and the size, or the ETag of an object. */
  readonly version: string;
}

/** What was written: a file that is whole and stays. */
export interface WrittenFile {
  readonly name: string;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** A file that is being written. Under its name there is nothing until it is finished. */
export interface FileWriter {
  /** @param bytes are the writer's from then on, which may free their memory */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves once the file is there under its name, whole, also after a loss of power. */
  finish(): Promise<WrittenFile>;
  /** Leaves nothing behind, as far as that can be done. May be called at any time, and after a failure. */
  discard(): Promise<void>;
}

/**
 * Files by their names: a folder of this machine, or a bucket.
 *
 * Every method throws `ServiceError` `storage_failed` if the storage cannot be used, after a few retries if that may pass,
 * and `path_outside` for a name that leads out of it.
 */
export interface Storage {
  /** What logs and messages call it, without keys. */
  readonly label: string;
  /**
   * The files below a folder, and below its folders, in the order of the UTF-8 of their names; `''` is the whole storage.
   * Names that begin with a dot are left out, as are links that lead out of the storage.
   */
  list(folder: string): AsyncIterable<StoredFile>;
  /** The file of a name, if there is one. */
  find(name: string): Promise<StoredFile | undefined>;
  /**
   * The bytes of a file in [from, to), or all of them, in pieces of at most some 1 MB.
   *
   * @throws ServiceError `source_changed` if it is not the version that is asked for any more, or has gone;
   *   `source_unreadable` if this file may not be read
   */
  read(file: StoredFile, range?: { readonly from: number; readonly to: number }): AsyncIterable<Buffer>;
  create(name: string): Promise<FileWriter>;
  /**
   * Writes a small file, unless there is one of its name: of several that do so at once, one writes. After a lost answer
   * it may be false although the file is there with these bytes.
   *
   * @returns whether it was written
   */
  createOnce(name: string, bytes: Uint8Array): Promise<boolean>;
  /**
   * Gives a finished file its last name where that costs nothing, replacing what has that name; done twice, it
   * stays done.
   *
   * @returns the name that the file has now
   */
  settle(name: string, lastName: string): Promise<string>;
  /** Removes a file, if it is there. */
  remove(name: string): Promise<void>;
  /** Removes a folder that has nothing in it, where there are folders. */
  removeFolder(name: string): Promise<void>;
}

/** @param source name of the file @param reason ends the sentence "it cannot be read:" */
export function unreadable(source: string, reason: string, cause?: unknown): ServiceError {
  return new ServiceError('source_unreadable', { source, reason }, cause);
}
