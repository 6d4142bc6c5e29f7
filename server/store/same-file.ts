import { stat } from 'node:fs/promises';
import { unavailable } from './errors.ts';

/**
 * SQLite keeps writing to a file that was deleted or moved away, and what it writes is lost with the process.
 *
 * @returns a check that throws `store_unavailable` if the path leads to no file any more, or to another one
 */
export async function expectSameFile(path: string): Promise<() => Promise<void>> {
  const opened = await stat(path, { bigint: true });
  return async () => {
    const found = await stat(path, { bigint: true }).catch(() => undefined);
    if (found?.ino === opened.ino && found.dev === opened.dev) return;
    throw unavailable('its file was deleted or moved away; put it back, or start the server again');
  };
}
