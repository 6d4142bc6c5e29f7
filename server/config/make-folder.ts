import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

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
