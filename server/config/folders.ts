import { statSync } from 'node:fs';
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
