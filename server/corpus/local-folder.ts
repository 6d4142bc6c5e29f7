import { realpath, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ServiceError } from '../../core/errors.ts';
import { attempt, storageFailed, unlessMissing } from './local/failures.ts';
import { createFileOnce, LocalFileWriter } from './local/file-writer.ts';
import { listFolder, storedFile } from './local/list-folder.ts';
import { LocalPaths, syncFolder } from './local/paths.ts';
import { changed, readFilePieces } from './local/read-file.ts';
import type { FileWriter, Storage, StoredFile } from './storage.ts';

/**
 * A folder of this machine as a storage. Names are looked up by their real path; what is neither a file nor a folder is
 * not there.
 */
export function createLocalFolder(root: string, label: string = root): Storage {
  return new LocalFolder(root, label);
}

class LocalFolder implements Storage {
  readonly label: string;
  readonly #root: string;
  readonly #paths: LocalPaths;

  constructor(root: string, label: string) {
    this.label = label;
    this.#root = root;
    this.#paths = new LocalPaths(root, label);
  }

  async *list(folder: string): AsyncGenerator<StoredFile> {
    const path = await attempt(this.label, () => this.#paths.find(folder));
    if (path === undefined) return;
    try {
      yield* listFolder(await realpath(this.#root), { name: folder, path });
    } catch (error) {
      throw storageFailed(this.label, error);
    }
  }

  find(name: string): Promise<StoredFile | undefined> {
    return attempt(this.label, async () => {
      const path = await this.#paths.find(name);
      const stats = path === undefined ? undefined : await unlessMissing(stat(path, { bigint: true }));
      return stats?.isFile() ? storedFile(name, stats) : undefined;
    });
  }

  async *read(file: StoredFile, range = { from: 0, to: file.size }): AsyncGenerator<Buffer> {
    const path = await attempt(this.label, () => this.#paths.find(file.name));
    if (path === undefined) throw changed(file);
    try {
      yield* readFilePieces(path, file, range);
    } catch (error) {
      throw storageFailed(this.label, error);
    }
  }

  async create(name: string): Promise<FileWriter> {
    const path = await attempt(this.label, () => this.#paths.make(name));
    return LocalFileWriter.open(name, this.label, path);
  }

  createOnce(name: string, bytes: Uint8Array): Promise<boolean> {
    return attempt(this.label, async () => createFileOnce(await this.#paths.make(name), bytes));
  }

  settle(name: string, lastName: string): Promise<string> {
    return attempt(this.label, async () => {
      const [from, to] = [await this.#paths.locate(name), await this.#paths.make(lastName)];
      const isMoved = from !== undefined && (await unlessMissing(rename(from, to).then(() => true)));
      if (isMoved) await Promise.all([...new Set([dirname(from), dirname(to)])].map(syncFolder));
      else if ((await this.find(lastName)) === undefined) {
        throw new ServiceError('storage_failed', { storage: this.label, reason: `there is no file ${name}` });
      }
      return lastName;
    });
  }

  remove(name: string): Promise<void> {
    return attempt(this.label, async () => {
      const path = await this.#paths.locate(name);
      if (path !== undefined) await unlessMissing(unlink(path));
    });
  }

  removeFolder(name: string): Promise<void> {
    return attempt(this.label, async () => {
      const path = await this.#paths.locate(name);
      if (path !== undefined) await unlessMissing(rmdir(path)).catch(unlessNotEmpty);
    });
  }
}

function unlessNotEmpty(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
}
