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
 * Keeps an SQLite file locked from another process: locks of one process do not stop itself.
 *
 * @param lock such as `begin immediate`
 * @returns lets go of it
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
