import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readdir, rename, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../../config/retry.ts';
import { existing } from './local-files.ts';
import { findPartial, originPath, partialPath, removePartial } from './partial-download.ts';

/** Beside a file that is downloaded, a place whose name nobody else has, so that no lock is needed. */
export interface OwnPlace {
  /** Where the partial download is, as `partialPath` and its like have it. */
  readonly path: string;
  /** Leaves what can resume to whoever comes next, and nothing else. @param url of the file */
  release(url: string): Promise<void>;
}

/** Milliseconds after which a partial download that its process does not keep fresh is another's. */
const STALE_MS = 10_000;
const RENEW_MS = 2000;
/** Most milliseconds between two looks at whoever downloads the file. */
const POLL_MS = 300;

/**
 * Waits until nobody downloads a file, and takes over what was begun of it: what was left for the next one, or what a process
 * that ended has copied so far.
 *
 * @returns undefined if another has written the file meanwhile
 */
export async function takePlace(target: string): Promise<OwnPlace | undefined> {
  const path = `${target}.${randomUUID()}`;
  let created: string | undefined;
  for (;;) {
    if ((await existing(target)) !== undefined) return undefined;
    created = (await mkdir(dirname(target), { recursive: true })) ?? created;
    if (!(await isBusy(target, path)) && (await mark(path))) {
      // Of two that come at once, each sees the other.
      if (!(await isBusy(target, path))) break;
      await removePartial(path);
    }
    await sleep(POLL_MS * (0.5 + Math.random() / 2));
  }
  const timer = setInterval(() => void keepFresh(path), RENEW_MS).unref();
  await takeOver(target, path);
  return {
    path,
    async release(url) {
      clearInterval(timer);
      if ((await findPartial(path, url)) !== undefined) await move(path, target);
      else await removePartial(path);
      if (created !== undefined) await removeEmpty(dirname(target), created);
    },
  };
}

/** Whether a place was taken for one of a process that has ended, and is another's now. */
export async function isGone(place: string): Promise<boolean> {
  return (await existing(partialPath(place))) === undefined;
}

/** The partial downloads of a file that are some process's own. */
async function ownPlaces(target: string): Promise<string[]> {
  const [begin, end] = [`${basename(target)}.`, partialPath('')];
  const names = await readdir(dirname(target)).catch(() => []);
  return names
    .filter((name) => name.startsWith(begin) && name.endsWith(end) && name.length > begin.length + end.length)
    .map((name) => join(dirname(target), name.slice(0, -end.length)));
}

async function isBusy(target: string, own: string): Promise<boolean> {
  const others = (await ownPlaces(target)).filter((place) => place !== own);
  return (await Promise.all(others.map(isFresh))).includes(true);
}

async function isFresh(place: string): Promise<boolean> {
  const found = await stat(partialPath(place)).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs < STALE_MS;
}

async function keepFresh(place: string): Promise<void> {
  await utimes(partialPath(place), new Date(), new Date()).catch(() => undefined);
}

/** @returns false if the folder was just removed by whoever had made it */
async function mark(place: string): Promise<boolean> {
  try {
    await writeFile(partialPath(place), '');
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Copies what a process has begun that does not keep it fresh: should it still write, it writes into its own file. */
async function takeOver(target: string, own: string): Promise<void> {
  for (const stale of (await ownPlaces(target)).filter((place) => place !== own)) {
    for (const pathOf of [partialPath, originPath])
      await copyFile(pathOf(stale), pathOf(own)).catch(() => undefined);
    await removePartial(stale);
  }
  if ((await existing(partialPath(target))) !== undefined) await move(target, own);
}

/** The bytes first: without their origin they do not resume. */
async function move(from: string, to: string): Promise<void> {
  await rename(partialPath(from), partialPath(to)).catch(() => undefined);
  await rename(originPath(from), originPath(to)).catch(() => undefined);
}

/** Removes the folders that were created for a download, unless something else is in them by now. */
async function removeEmpty(folder: string, created: string): Promise<void> {
  for (let path = folder; path.length >= created.length; path = dirname(path)) {
    await rmdir(path).catch(() => undefined);
  }
}
