import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cleanup, temporaryFolder } from '../../support/server.ts';

/** Runs with what is undone afterwards, the last first, and with a folder of its own. */
export async function withCleanup<T>(run: (t: Cleanup, folder: string) => Promise<T>): Promise<T> {
  const handlers: (() => unknown)[] = [];
  const t: Cleanup = { teardown: (handler) => void handlers.unshift(handler) };
  try {
    return await run(t, await temporaryFolder(t));
  } finally {
    for (const handler of handlers) await handler();
  }
}

/** Calls `use` with the path of a temporary file that holds the text. */
export function withFile<T>(text: string, use: (file: string) => Promise<T>): Promise<T> {
  return withCleanup(async (_, folder) => {
    const file = join(folder, 'text');
    await writeFile(file, text);
    return use(file);
  });
}
