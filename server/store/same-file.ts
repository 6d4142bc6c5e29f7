import { stat } from 'node:fs/promises';
import { unavailable } from './failures.ts';

/**
 * A check that a path still leads to the file that it leads to now. SQLite goes on writing to a file that
 * was deleted or moved away, and what it writes is gone with the process.
 *
 * @returns throws `store_unavailable` where there is no file any more, or another one
 */
export async function expectSameFile(path: string): Promise<() => Promise<void>> {
  const opened = await stat(path, { bigint: true });
  return async () => {
    const found = await stat(path, { bigint: true }).catch(() => undefined);
    if (found?.ino === opened.ino && found.dev === opened.dev) return;
    throw unavailable('its file was deleted or moved away; put it back, or start the server again');
  };
}
