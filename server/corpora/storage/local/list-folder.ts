import type { BigIntStats, Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredFile } from '../storage.ts';
import { unlessMissing } from './failures.ts';
import { isInside } from './paths.ts';

/** Files that are examined concurrently. */
const TOGETHER = 32;

/** A folder being listed: its name in the storage, and its real path. */
interface Folder {
  readonly name: string;
  readonly path: string;
}

/**
 * The files below a folder in the order of the UTF-8 of their names; only one folder and its parents are kept in
 * memory. A link to a folder is followed only if it overlaps with no folder that is listed anyway.
 *
 * @param root the real path of the storage
 * @param listed real paths of the folders that are listed completely
 */
export async function* listFolder(
  root: string,
  folder: Folder,
  listed: string[] = [folder.path],
): AsyncGenerator<StoredFile> {
  const entries = await entriesOf(folder.path);
  for (let from = 0; from < entries.length; from += TOGETHER) {
    const some = entries.slice(from, from + TOGETHER);
    const looked = await Promise.all(some.map((entry) => look(root, folder, entry)));
    for (const found of looked) {
      if (found === undefined) continue;
      const { path, name, stats } = found;
      if (stats.isFile()) yield storedFile(name, stats);
      else if (!found.isLink) yield* listFolder(root, { name, path }, listed);
      else if (!listed.some((one) => isInside(one, path) || isInside(path, one))) {
        listed.push(path);
        yield* listFolder(root, { name, path }, listed);
      }
    }
  }
}

/**
 * The entries of a folder, in the order of the names of the files below it: a folder `a` comes after a file `a.txt`.
 */
async function entriesOf(path: string): Promise<readonly Dirent[]> {
  const entries = (await unlessMissing(readdir(path, { withFileTypes: true }))) ?? [];
  const listed = entries.filter(({ name }) => !name.startsWith('.') && !name.includes('\\'));
  const keyed = await Promise.all(listed.map(async (entry) => ({ entry, key: await keyOf(path, entry) })));
  return keyed.sort((a, b) => Buffer.compare(a.key, b.key)).map(({ entry }) => entry);
}

async function keyOf(path: string, entry: Dirent): Promise<Buffer> {
  const target = entry.isSymbolicLink() ? await unlessMissing(stat(join(path, entry.name))) : entry;
  return Buffer.from(target?.isDirectory() ? `${entry.name}/` : entry.name);
}

/**
 * Examines a file or a folder; undefined for anything else, for what has disappeared, and for links outside the
 * storage.
 */
async function look(root: string, folder: Folder, entry: Dirent) {
  const name = folder.name === '' ? entry.name : `${folder.name}/${entry.name}`;
  const isLink = entry.isSymbolicLink();
  if (!isLink && !entry.isFile() && !entry.isDirectory()) return undefined;
  const shown = join(folder.path, entry.name);
  const path = isLink ? await unlessMissing(realpath(shown)) : shown;
  if (path === undefined || !isInside(root, path)) return undefined;
  const stats = await unlessMissing(stat(path, { bigint: true }));
  if (stats === undefined || !(stats.isFile() || stats.isDirectory())) return undefined;
  return { name, path, stats, isLink };
}

export function storedFile(name: string, stats: BigIntStats): StoredFile {
  return { name, size: Number(stats.size), version: versionOf(stats) };
}

/** Differs whenever the content does. */
export function versionOf({ mtimeNs, size }: BigIntStats): string {
  return `${mtimeNs}-${size}`;
}
