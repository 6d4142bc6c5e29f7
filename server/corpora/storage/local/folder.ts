import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import {
  type FileHandle,
  link,
  open,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { dirname } from 'node:path';
import { ServiceError } from '../../../../core/errors.ts';
import { release } from '../../../engine/memory.ts';
import { allocatePiece } from '../buffer-release.ts';
import { type FileWriter, type Storage, type StoredFile, unreadable, type WrittenFile } from '../storage.ts';
import { listFolder, storedFile, versionOf } from './list-folder.ts';
import { attempt, isForbidden, LocalPaths, storageFailed, syncFolder, unlessMissing } from './paths.ts';

/**
 * A local folder as a storage. Names are resolved to their real paths. Sockets, pipes and devices are never
 * read.
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
        const from = await paths.locate(name);
        const to = await paths.make(lastName);
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

const PIECE = 1024 * 1024;
/** If a link or a pipe has replaced the file, opening must not follow the link or wait for the pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * Reads the bytes of a file in [from, to). After each piece, checks that the file still has the requested
 * version.
 *
 * @param path real path of the file
 * @throws ServiceError `source_changed`; `source_unreadable` if permission for the file is missing
 */
async function* readFilePieces(
  path: string,
  file: StoredFile,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<Buffer> {
  const handle = await unlessMissing(openAllowed(path, file));
  if (handle === undefined) throw changed(file);
  try {
    await checkVersion(handle, file);
    let at = from;
    while (at < to) {
      const buffer = allocatePiece(Math.min(PIECE, to - at));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
      await checkVersion(handle, file);
      if (bytesRead === 0) throw changed(file);
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

function openAllowed(path: string, { name }: StoredFile): Promise<FileHandle> {
  return open(path, FLAGS).catch((error: unknown) => {
    throw isForbidden(error) ? unreadable(name, 'there is no permission to read it', error) : error;
  });
}

function changed({ name }: StoredFile): ServiceError {
  return new ServiceError('source_changed', { source: name });
}

async function checkVersion(handle: FileHandle, file: StoredFile): Promise<void> {
  const stats = await handle.stat({ bigint: true });
  if (!stats.isFile() || versionOf(stats) !== file.version) throw changed(file);
}

const GATHERED = 256 * 1024;

/** Writes a complete file unless a file exists at `path`. @returns whether it was written */
async function createFileOnce(path: string, bytes: Uint8Array): Promise<boolean> {
  const temporary = `${path}.tmp-${randomUUID()}`;
  try {
    await writeFile(temporary, bytes, { flag: 'wx', flush: true });
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(dirname(path));
  return true;
}

/** Writes a temporary file in the same folder, and renames it once it is complete. Calls must not overlap. */
class LocalFileWriter implements FileWriter {
  readonly #name: string;
  readonly #label: string;
  readonly #path: string;
  readonly #temporary: string;
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  #bytes = 0;
  #isOpen = true;

  private constructor(name: string, label: string, path: string, temporary: string, handle: FileHandle) {
    this.#name = name;
    this.#label = label;
    this.#path = path;
    this.#temporary = temporary;
    this.#handle = handle;
  }

  /** @param path of the file; its folder must exist */
  static async open(name: string, label: string, path: string): Promise<LocalFileWriter> {
    const temporary = `${path}.tmp-${randomUUID()}`;
    const handle = await attempt(label, () => open(temporary, 'wx'));
    return new LocalFileWriter(name, label, path, temporary, handle);
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    this.#gathered.push(bytes);
    this.#gatheredBytes += bytes.length;
    if (this.#gatheredBytes >= GATHERED) await this.#orDiscard(() => this.#flush());
  }

  async finish(): Promise<WrittenFile> {
    await this.#orDiscard(async () => {
      await this.#flush();
      await this.#handle.sync();
      await this.#handle.close();
      await rename(this.#temporary, this.#path);
      this.#isOpen = false;
      await syncFolder(dirname(this.#path));
    });
    return { name: this.#name, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  async discard(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#gathered = [];
    await this.#handle.close().catch(() => undefined);
    await rm(this.#temporary, { force: true }).catch(() => undefined);
  }

  async #flush(): Promise<void> {
    const gathered = this.#gathered;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    const [first] = gathered;
    if (first === undefined) return;
    const whole = gathered.length === 1 ? first : Buffer.concat(gathered);
    await this.#handle.appendFile(whole);
    for (const bytes of [whole, ...gathered]) release(bytes);
  }

  async #orDiscard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      await this.discard();
      throw storageFailed(this.#label, error);
    }
  }
}
