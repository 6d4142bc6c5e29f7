import { mkdir, open, realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import { reasonOf, ServiceError } from '../../../../core/errors.ts';
import { codeOf, isBusyFile, withRetries } from '../../../config/retry.ts';

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'there is no space left on its disk: free some space',
  EDQUOT: 'its quota is used up: free some space',
  EROFS: 'it is read-only',
  EACCES: 'the server has no permission: grant it',
  EPERM: 'the server has no permission: grant it',
  EMFILE: 'the server has too many files open: raise its limit',
  EISDIR: 'there is a folder of this name',
};
/** Error codes that mean that the file does not exist, or cannot exist. */
const MISSING = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'ENXIO'];
const RETRIES = { retries: 3, firstDelay: 50, maxDelay: 1000 };

export function storageFailed(storage: string, error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const code = codeOf(error);
  const { errno } = error as NodeJS.ErrnoException;
  const known = errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1];
  const reason = REMEDIES[code ?? ''] ?? known ?? code ?? reasonOf(error);
  return new ServiceError('storage_failed', { storage, reason }, error);
}

/** Retries temporary errors, such as too many open files. @throws ServiceError `storage_failed` */
export async function attempt<T>(storage: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isBusyFile(error)) throw storageFailed(storage, error);
  }
  return withRetries(RETRIES, { isTransient: isBusyFile }, work).catch((error: unknown) => {
    throw storageFailed(storage, error);
  });
}

export function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
}

export function isMissing(error: unknown): boolean {
  return MISSING.includes(codeOf(error) ?? '');
}

export function isForbidden(error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes(codeOf(error) ?? '');
}

/** Resolves names to real paths below a folder. Refuses names and links that lead to a path outside. */
export class LocalPaths {
  readonly #root: string;
  readonly #label: string;

  constructor(root: string, label: string) {
    this.#root = root;
    this.#label = label;
  }

  /**
   * The real path of a name, `''` for the folder itself; undefined if nothing has this name.
   *
   * @throws ServiceError `path_outside`, `path_unusable`
   */
  async find(name: string): Promise<string | undefined> {
    if (name !== '') this.#check(name);
    return this.#resolve(await realpath(this.#root), join(this.#root, name), name);
  }

  /**
   * The path for writing a file with this name, replacing any link. Creates the parent folders durably.
   *
   * @throws ServiceError `path_outside`, `path_unusable`
   */
  async make(name: string): Promise<string> {
    this.#check(name);
    const root = await realpath(this.#root);
    const parent = await this.#makeFolder(root, dirname(join(root, name)), name);
    return join(parent, basename(name));
  }

  /** The path of a file, whose folder need not exist. If the path is a link, the link is not followed. */
  async locate(name: string): Promise<string | undefined> {
    this.#check(name);
    const root = await realpath(this.#root);
    const parent = await this.#resolve(root, dirname(join(root, name)), name);
    return parent === undefined ? undefined : join(parent, basename(name));
  }

  /** Creates folders, but only below a path that is known to be inside the root. */
  async #makeFolder(root: string, path: string, name: string): Promise<string> {
    const found = await this.#resolve(root, path, name);
    if (found !== undefined) return found;
    const parent = await this.#makeFolder(root, dirname(path), name);
    const folder = join(parent, basename(path));
    await mkdir(folder, { recursive: true });
    await syncFolder(parent);
    return folder;
  }

  async #resolve(root: string, path: string, name: string): Promise<string | undefined> {
    const real = await unlessMissing(realpath(path));
    if (real !== undefined && !isInside(root, real)) throw this.#outside(name);
    return real;
  }

  #check(name: string): void {
    const parts = name.split('/');
    if (parts.includes('..') || name.startsWith('/')) throw this.#outside(name);
    const reason = problemOf(name, parts);
    if (reason !== undefined) throw new ServiceError('path_unusable', { path: name, reason });
  }

  #outside(path: string): ServiceError {
    return new ServiceError('path_outside', { path, storage: this.#label });
  }
}

function problemOf(name: string, parts: readonly string[]): string | undefined {
  if (name.includes('\0')) return 'it contains a NUL character, which no file name has';
  if (sep === '\\' && name.includes(sep)) return 'it contains a backslash: write / between folders';
  return parts.some((part) => part === '' || part === '.')
    ? 'it has an empty part, or a single dot'
    : undefined;
}

export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Makes sure that file names in a folder survive a power failure. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
