import { existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Config, ConfigError } from './config.ts';

/** @throws ConfigError if an option names a folder that does not exist */
export function checkFolder(option: string, folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  throw new ConfigError(
    `${option} ${folder}: ${found ? 'it is a file, not a folder' : 'there is no such folder'}`,
  );
}

/** @throws ConfigError if a configured folder is missing, except a models folder that downloads may create */
export function checkFolders({ pluginsDir, modelsDir, allowDownloads }: Config): void {
  for (const folder of pluginsDir) checkFolder('--plugins-dir', folder);
  if (modelsDir === '' || allowDownloads) return;
  checkFolder('--models-dir', modelsDir);
}

/** Our error code for a place where folders cannot be created, such as `/proc`. */
export const NO_FOLDER = 'ENOFOLDER';

/** Creates a folder and its parents. @throws the system's error, or an error with the code `NO_FOLDER` */
export async function makeFolder(folder: string): Promise<void> {
  let top = resolve(folder);
  while (!existsSync(dirname(top))) top = dirname(top);
  // Creates the topmost missing folder first. If that is impossible, `recursive` would retry forever.
  await mkdir(top).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EEXIST') return;
    if (cause.code !== 'ENOENT') throw cause;
    throw Object.assign(new Error(`no folder can be created in ${dirname(top)}`, { cause }), {
      code: NO_FOLDER,
    });
  });
  await mkdir(folder, { recursive: true });
}
