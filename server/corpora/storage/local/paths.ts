import { mkdir, open, realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { ServiceError } from '../../../../core/errors.ts';
import { unlessMissing } from './failures.ts';

/** Finds the files of a folder by their real paths, so that no name and no link leads outside. */
export class LocalPaths {
  readonly #root: string;
  readonly #label: string;

  constructor(root: string, label: string) {
    this.#root = root;
    this.#label = label;
  }

  /**
   * The real path of this name, if it exists; `''` is the folder itself.
   *
   * @throws ServiceError `path_outside`, `path_unusable`
   */
  async find(name: string): Promise<string | undefined> {
    if (name !== '') this.#check(name);
    return this.#resolve(await realpath(this.#root), join(this.#root, name), name);
  }

  /**
   * Where a file with this name is written, replacing a link if there is one. Its folders are created durably.
   *
   * @throws ServiceError `path_outside`, `path_unusable`
   */
  async make(name: string): Promise<string> {
    this.#check(name);
    const root = await realpath(this.#root);
    const parent = await this.#makeFolder(root, dirname(join(root, name)), name);
    return join(parent, basename(name));
  }

  /**
   * Where a file with this name is, or would be if its folder existed; if it is a link itself, that is not followed.
   */
  async locate(name: string): Promise<string | undefined> {
    this.#check(name);
    const root = await realpath(this.#root);
    const parent = await this.#resolve(root, dirname(join(root, name)), name);
    return parent === undefined ? undefined : join(parent, basename(name));
  }

  /** Creates folders only below what is known to be inside. */
  async #makeFolder(root: string, path: string, name: string): Promise<string> {
    const found = await this.#resolve(root, path, name);
    if (found !== undefined) return found;
    const parent = await this.#makeFolder(root, dirname(path), name);
    const folder = join(parent, basename(path));
    await mkdir(folder, { recursive: true });
    await syncFolder(parent);
    return folder;
  }

  /** The real path of a path, if it exists. */
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

/** Makes the names in a folder durable against a loss of power. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
