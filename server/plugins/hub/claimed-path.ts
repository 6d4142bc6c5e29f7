import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readdir, rename, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../../config/retry.ts';
import { existing } from './local-files.ts';
import { findPartial, originPath, partialPath, removePartial } from './partial-download.ts';

/** Milliseconds without a refresh after which a partial download may be taken over. */
const STALE_MS = 10_000;
const RENEW_MS = 2000;
/** Maximum milliseconds between two checks whether another process still downloads. */
const POLL_MS = 300;

/**
 * Waits until no other process downloads a file, then claims a unique path beside `target`, without a lock.
 * Takes over the partial download that an ended process or an earlier attempt has left.
 *
 * @returns the claim; undefined if another process has completed the file
 */
export async function claimPath(target: string) {
  const path = `${target}.${randomUUID()}`;
  let created: string | undefined;
  for (;;) {
    if ((await existing(target)) !== undefined) return undefined;
    created = (await mkdir(dirname(target), { recursive: true })) ?? created;
    if (!(await isBusy(target, path)) && (await mark(path))) {
      // Checks again: another process may have claimed a path at the same time, or completed the file.
      if (!(await isBusy(target, path)) && (await existing(target)) === undefined) break;
      await removePartial(path);
    }
    await sleep(POLL_MS * (0.5 + Math.random() / 2));
  }
  const timer = setInterval(() => void keepFresh(path), RENEW_MS).unref();
  await takeOver(target, path);
  return {
    path,
    /** Gives up the claim. Keeps the partial download only if it can resume. @param url URL of the file */
    async release(url: string): Promise<void> {
      clearInterval(timer);
      if ((await findPartial(path, url)) !== undefined) await move(path, target);
      else await removePartial(path);
      if (created !== undefined) await removeEmpty(dirname(target), created);
    },
  };
}

/** Whether another process has taken over the partial download. */
export async function isGone(path: string): Promise<boolean> {
  return (await existing(partialPath(path))) === undefined;
}

async function claimedPaths(target: string): Promise<string[]> {
  const [begin, end] = [`${basename(target)}.`, partialPath('')];
  const names = await readdir(dirname(target)).catch(() => []);
  return names
    .filter((name) => name.startsWith(begin) && name.endsWith(end) && name.length > begin.length + end.length)
    .map((name) => join(dirname(target), name.slice(0, -end.length)));
}

async function isBusy(target: string, own: string): Promise<boolean> {
  const others = (await claimedPaths(target)).filter((path) => path !== own);
  return (await Promise.all(others.map(isFresh))).includes(true);
}

async function isFresh(path: string): Promise<boolean> {
  const found = await stat(partialPath(path)).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs < STALE_MS;
}

async function keepFresh(path: string): Promise<void> {
  await utimes(partialPath(path), new Date(), new Date()).catch(() => undefined);
}

/** Creates the claim's file. @returns false if another process has just removed the folder */
async function mark(path: string): Promise<boolean> {
  try {
    await writeFile(partialPath(path), '');
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Takes over stale partial downloads. Copies them, because a slow process may still write its own. */
async function takeOver(target: string, own: string): Promise<void> {
  for (const stale of (await claimedPaths(target)).filter((path) => path !== own)) {
    for (const pathOf of [partialPath, originPath])
      await copyFile(pathOf(stale), pathOf(own)).catch(() => undefined);
    await removePartial(stale);
  }
  if ((await existing(partialPath(target))) !== undefined) await move(target, own);
}

/** Moves the bytes before their origin: if interrupted in between, the bytes are not resumed. */
async function move(from: string, to: string): Promise<void> {
  await rename(partialPath(from), partialPath(to)).catch(() => undefined);
  await rename(originPath(from), originPath(to)).catch(() => undefined);
}

async function removeEmpty(folder: string, created: string): Promise<void> {
  for (let path = folder; path.length >= created.length; path = dirname(path)) {
    await rmdir(path).catch(() => undefined);
  }
}
