import { realpath, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ServiceError } from '../../../core/errors.ts';
import { attempt, storageFailed, unlessMissing } from './local/failures.ts';
import { createFileOnce, LocalFileWriter } from './local/file-writer.ts';
import { listFolder, storedFile } from './local/list-folder.ts';
import { LocalPaths, syncFolder } from './local/paths.ts';
import { changed, readFilePieces } from './local/read-file.ts';
import type { Storage } from './storage.ts';

/**
 * A folder of this machine as a storage. Names are resolved to their real paths; anything that is neither a file nor
 * a folder does not exist.
 */
export function createLocalFolder(root: string, label: string = root): Storage {
  const paths = new LocalPaths(root, label);
  const tried = <T>(work: () => Promise<T>): Promise<T> => attempt(label, work);
  const find = (name: string) =>
    tried(async () => {
      const path = await paths.find(name);
      const stats = path === undefined ? undefined : await unlessMissing(stat(path, { bigint: true }));
      return stats?.isFile() ? storedFile(name, stats) : undefined;
    });
  /** The result of `use` for the path with this name, if it exists. */
  const withPath = (name: string, work: (path: string) => Promise<unknown>) =>
    tried(async () => {
      const path = await paths.locate(name);
      if (path !== undefined) await unlessMissing(work(path));
    });
  return {
    label,
    find,
    async *list(folder) {
      const path = await tried(() => paths.find(folder));
      if (path === undefined) return;
      try {
        yield* listFolder(await realpath(root), { name: folder, path });
      } catch (error) {
        throw storageFailed(label, error);
      }
    },
    async *read(file, range = { from: 0, to: file.size }) {
      const path = await tried(() => paths.find(file.name));
      if (path === undefined) throw changed(file);
      try {
        yield* readFilePieces(path, file, range);
      } catch (error) {
        throw storageFailed(label, error);
      }
    },
    create: async (name) => LocalFileWriter.open(name, label, await tried(() => paths.make(name))),
    createOnce: (name, bytes) => tried(async () => createFileOnce(await paths.make(name), bytes)),
    settle: (name, lastName) =>
      tried(async () => {
        const [from, to] = [await paths.locate(name), await paths.make(lastName)];
        const isMoved = from !== undefined && (await unlessMissing(rename(from, to).then(() => true)));
        if (isMoved) await Promise.all([...new Set([dirname(from), dirname(to)])].map(syncFolder));
        else if ((await find(lastName)) === undefined) {
          throw new ServiceError('storage_failed', { storage: label, reason: `there is no file ${name}` });
        }
        return lastName;
      }),
    remove: (name) => withPath(name, unlink),
    removeFolder: (name) => withPath(name, (path) => rmdir(path).catch(unlessNotEmpty)),
  };
}

function unlessNotEmpty(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
}
