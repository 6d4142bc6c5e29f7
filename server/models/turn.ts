import { mkdir, rmdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { existing } from './local-files.ts';

/** The right to write a file, which one thread of one process has at a time. */
export interface Turn {
  /** Aborted when another may have taken the turn, because this thread stood still for too long. */
  readonly lost: AbortSignal;
  end(): Promise<void>;
}

/** Milliseconds after which a turn that its holder does not renew is free: the holder was killed. */
const STALE_MS = 10_000;
const RENEW_MS = 2000;
/** Most milliseconds between two looks whether a turn is free. */
const POLL_MS = 300;

/** Waits for the turn to write a file; `undefined` where another has written it meanwhile. */
export async function takeTurn(target: string): Promise<Turn | undefined> {
  for (;;) {
    const turn = await tryTurn(target);
    if ((await existing(target)) !== undefined) {
      await turn?.end();
      return undefined;
    }
    if (turn !== undefined) return turn;
    await sleep(POLL_MS * (0.5 + Math.random() / 2));
  }
}

async function tryTurn(target: string): Promise<Turn | undefined> {
  const { lock } = await loadLockfile();
  const folder = dirname(target);
  const created = await mkdir(folder, { recursive: true });
  const lost = new AbortController();
  const release = await lock(target, {
    realpath: false,
    stale: STALE_MS,
    update: RENEW_MS,
    onCompromised: (error) => lost.abort(error),
  }).catch(ignoreTaken);
  if (release === undefined) return undefined;
  return {
    lost: lost.signal,
    async end() {
      await release().catch(() => undefined);
      if (created !== undefined) await removeEmpty(folder, created);
    },
  };
}

/** The turn is another's, or the folder was just removed by one who had made it. */
function ignoreTaken(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ELOCKED' && error.code !== 'ENOENT') throw error;
}

/** Removes the folders that were made for a download, where nothing else has come to be in them. */
async function removeEmpty(folder: string, created: string): Promise<void> {
  for (let path = folder; path.length >= created.length; path = dirname(path)) {
    await rmdir(path).catch(() => undefined);
  }
}

/**
 * The package hears signals through signal-exit, which kills the process at once when the service is mounted
 * in an app whose own listener is a `once`. A lock that stays behind without that is free after STALE_MS.
 */
async function loadLockfile(): Promise<typeof import('proper-lockfile')> {
  const lockfile = await import('proper-lockfile');
  const itsRequire = createRequire(createRequire(import.meta.url).resolve('proper-lockfile'));
  itsRequire('signal-exit').unload();
  return lockfile;
}
