import { isUtf8 } from 'node:buffer';
import type { BigIntStats, Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type SkipNote, type StoredFile, UNREAD, unreadFile } from '../storage.ts';
import { isForbidden, isInside, isMissing } from './paths.ts';

const TOGETHER = 32;

interface Folder {
  readonly name: string;
  readonly path: string;
}

/**
 * Lists the files below a folder, in the order of their names in UTF-8. Memory holds only one folder and its
 * parents. A link to a folder is followed only if that folder overlaps no folder that is listed anyway.
 *
 * @param root the real path of the storage
 * @param listed real paths of the folders that are listed completely
 */
export async function* listFolder(
  root: string,
  folder: Folder,
  listed: string[] = [folder.path],
): AsyncGenerator<StoredFile> {
  const found = await readEntries(folder.path);
  if (found === undefined) yield unreadFile(`${folder.name}/`, UNREAD.forbidden);
  const entries = await inOrder(folder.path, found ?? []);
  for (let from = 0; from < entries.length; from += TOGETHER) {
    const some = entries.slice(from, from + TOGETHER);
    const looked = await Promise.all(some.map(async (entry) => look(root, folder.path, entry)));
    for (const [index, seen] of looked.entries()) {
      if (seen === undefined) continue;
      const { name: own } = some[index] as Entry;
      const name = folder.name === '' ? own : `${folder.name}/${own}`;
      if ('unread' in seen) yield unreadFile(name, seen.unread);
      else if (seen.stats.isFile()) yield storedFile(name, seen.stats);
      else if (!seen.isLink || isNew(seen.path, listed))
        yield* listFolder(root, { name, path: seen.path }, listed);
    }
  }
}

/** Whether a folder overlaps no listed folder. If it overlaps none, the function adds it to the list. */
function isNew(path: string, listed: string[]): boolean {
  const isListed = listed.some((one) => isInside(one, path) || isInside(path, one));
  if (!isListed) listed.push(path);
  return !isListed;
}

export interface Entry {
  readonly name: string;
  readonly dirent: Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>;
  readonly unread?: SkipNote | undefined;
}

/** Git's own entries are not files of a source. */
const GIT = /^\.git(ignore)?$/;

/** The entries of a folder except git's, unordered; undefined without permission to read the folder. */
export async function readEntries(path: string): Promise<readonly Entry[] | undefined> {
  try {
    const dirents = await readdir(path, { withFileTypes: true, encoding: 'buffer' });
    return dirents
      .map((dirent) => ({ name: dirent.name.toString(), dirent, unread: unreadByName(dirent.name) }))
      .filter(({ name }) => !GIT.test(name));
  } catch (error) {
    if (isForbidden(error)) return undefined;
    if (isMissing(error)) return [];
    throw error;
  }
}

const DOT = 0x2e;

function unreadByName(name: Buffer): SkipNote | undefined {
  if (!isUtf8(name)) return UNREAD.encoding;
  return name[0] === DOT ? UNREAD.hidden : undefined;
}

/** Sorts entries. A folder `a` is sorted as `a/`, and therefore comes after a file `a.txt`. */
async function inOrder(path: string, entries: readonly Entry[]): Promise<readonly Entry[]> {
  const keyed = await Promise.all(entries.map(async (entry) => ({ entry, key: await keyOf(path, entry) })));
  return keyed.sort((a, b) => Buffer.compare(a.key, b.key)).map(({ entry }) => entry);
}

async function keyOf(path: string, { name, dirent, unread }: Entry): Promise<Buffer> {
  const isFollowed = dirent.isSymbolicLink() && unread === undefined;
  const target = isFollowed ? await stat(join(path, name)).catch(unlessUnusable) : dirent;
  return Buffer.from(target?.isDirectory() ? `${name}/` : name);
}

export type Look =
  | { readonly path: string; readonly stats: BigIntStats; readonly isLink: boolean }
  | { readonly unread: SkipNote };

/**
 * Determines what an entry is, following links.
 *
 * @param root real path of the storage
 * @param folder real path of the folder that contains the entry
 * @returns undefined if the entry has disappeared
 */
export async function look(root: string, folder: string, entry: Entry): Promise<Look | undefined> {
  const { name, dirent, unread } = entry;
  if (unread !== undefined) return { unread };
  const isLink = dirent.isSymbolicLink();
  if (!isLink && !dirent.isFile() && !dirent.isDirectory()) return { unread: UNREAD.special };
  const shown = join(folder, name);
  try {
    const path = isLink ? await realpath(shown) : shown;
    if (!isInside(root, path)) return { unread: UNREAD.outside };
    const stats = await stat(path, { bigint: true });
    return stats.isFile() || stats.isDirectory() ? { path, stats, isLink } : { unread: UNREAD.special };
  } catch (error) {
    if (isForbidden(error)) return { unread: UNREAD.forbidden };
    if (!isMissing(error)) throw error;
    return isLink ? { unread: UNREAD.dangling } : undefined;
  }
}

/** Ignores an unusable link for now, because `look` reports it later. */
function unlessUnusable(error: unknown): undefined {
  if (!isForbidden(error) && !isMissing(error)) throw error;
}

export function storedFile(name: string, stats: BigIntStats): StoredFile {
  return { name, size: Number(stats.size), version: versionOf(stats) };
}

export function versionOf({ mtimeNs, size }: BigIntStats): string {
  return `${mtimeNs}-${size}`;
}
