import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from './hub.ts';
import { existing } from './local-files.ts';

/**
 * The right to write a file, which one thread of one process has at a time: a file `<target>.lock` with a
 * mark of its holder. No signal is listened for: the lock of a holder that was killed becomes stale.
 */
export interface FileLock {
  /** Aborted when another may have taken the lock, because this thread stood still for too long. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** Milliseconds after which a lock that its holder does not renew is stale. */
const STALE_MS = 10_000;
const RENEW_MS = 2000;
/** Most milliseconds between two attempts to take the lock. */
const POLL_MS = 300;

/** Waits for the lock of a file that is missing; `undefined` if another has written the file meanwhile. */
export async function acquireFileLock(target: string): Promise<FileLock | undefined> {
  for (;;) {
    const lock = await tryLock(target);
    if ((await existing(target)) !== undefined) {
      await lock?.release();
      return undefined;
    }
    if (lock !== undefined) return lock;
    await sleep(POLL_MS * (0.5 + Math.random() / 2));
  }
}

async function tryLock(target: string): Promise<FileLock | undefined> {
  const folder = dirname(target);
  const created = await mkdir(folder, { recursive: true });
  const path = `${target}.lock`;
  const mark = randomUUID();
  if (!(await create(path, mark))) {
    await removeStale(path);
    return undefined;
  }
  const lost = new AbortController();
  const stopRenewing = keepRenewing(path, mark, () => lost.abort(new Error('another took its lock')));
  return {
    lost: lost.signal,
    async release() {
      stopRenewing();
      if (await isHeldBy(path, mark).catch(() => false)) await rm(path, { force: true });
      if (created !== undefined) await removeEmpty(folder, created);
    },
  };
}

/** @returns false if another has the lock, or if the folder was just removed by whoever had made it */
async function create(path: string, mark: string): Promise<boolean> {
  try {
    await writeFile(path, mark, { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Removes a lock that its holder no longer renews. Of several that try, one moves it away; if that was the
 * fresh lock of a faster one, it is put back.
 */
async function removeStale(path: string): Promise<void> {
  if (!(await isStale(path))) return;
  const aside = `${path}.${randomUUID()}`;
  const isMoved = await rename(path, aside).then(
    () => true,
    () => false,
  );
  if (!isMoved) return;
  if (!(await isStale(aside))) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true, recursive: true });
}

async function isStale(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > STALE_MS;
}

/** @returns a function that stops it */
function keepRenewing(path: string, mark: string, onLost: () => void): () => void {
  let renewed = performance.now();
  const timer = setInterval(async () => {
    try {
      if (!(await isHeldBy(path, mark))) return onLost();
      await utimes(path, new Date(), new Date());
      renewed = performance.now();
    } catch {
      if (performance.now() - renewed > STALE_MS) onLost();
    }
  }, RENEW_MS).unref();
  return () => clearInterval(timer);
}

/** @throws if the lock cannot be read, so that its holder is unknown */
async function isHeldBy(path: string, mark: string): Promise<boolean> {
  try {
    return (await readFile(path, 'utf8')) === mark;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Removes the folders that were created for a download, unless something else is in them by now. */
async function removeEmpty(folder: string, created: string): Promise<void> {
  for (let path = folder; path.length >= created.length; path = dirname(path)) {
    await rmdir(path).catch(() => undefined);
  }
}
