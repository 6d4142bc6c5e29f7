import { statSync } from 'node:fs';
import { ConfigError } from './config.ts';

/** @throws ConfigError if an option names a folder that is not there */
export function checkFolder(option: string, folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  throw new ConfigError(
    `${option} ${folder}: ${found ? 'it is a file, not a folder' : 'there is no such folder'}`,
  );
}
