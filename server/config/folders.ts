import { statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Config, ConfigError } from './config.ts';

/** @throws ConfigError if an option names a folder that does not exist */
export function checkFolder(option: string, folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  throw new ConfigError(
    `${option} ${folder}: ${found ? 'it is a file, not a folder' : 'there is no such folder'}`,
  );
}

/** Folders that are named must exist, except the models folder, which downloads create. @throws ConfigError */
export function checkFolders({ pluginsDir, modelsDir, allowDownloads }: Config): void {
  for (const folder of pluginsDir) checkFolder('--plugins-dir', folder);
  if (modelsDir === '' || allowDownloads) return;
  checkFolder('--models-dir', modelsDir);
}

/** The error code if the file system of the parent folder cannot have folders, such as `/proc`. */
export const NO_FOLDER = 'ENOFOLDER';

/**
 * Creates a folder, including its parents. Node's own `recursive` tries forever if a file system cannot have folders.
 *
 * @throws the error of the system, or one with the code `NO_FOLDER`
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await makeOne(folder);
  } catch (error) {
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    if (parent === folder || (await isFolder(parent))) {
      throw Object.assign(new Error(`no folder can be created in ${parent}`, { cause: error }), {
        code: NO_FOLDER,
      });
    }
    await makeFolder(parent);
    await makeOne(folder);
  }
}

async function makeOne(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !(await isFolder(folder))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}
