import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Cleanup } from './server.ts';

const PROGRAM = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1]);
  database.exec(process.argv[2]);
  console.log('locked');
  process.stdin.resume().on('end', () => process.exit());
`;

/**
 * Locks an SQLite file from another process, because a process is not stopped by its own locks.
 *
 * @param lock such as `begin immediate`
 * @returns a function that releases it
 */
export async function lockFile(t: Cleanup, path: string, lock: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ['-e', PROGRAM, path, lock], { stdio: ['pipe', 'pipe', 'inherit'] });
  const end = once(child, 'exit');
  const release = async () => {
    child.stdin.end();
    await end;
  };
  t.teardown(release);
  await once(child.stdout, 'data');
  return release;
}
