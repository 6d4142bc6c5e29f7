import { join } from 'node:path';
import { GATED } from './jobs.ts';
import { pluginsFolder } from './plugins.ts';
import { type ServerProcess, startProcess } from './process.ts';
import { type Cleanup, temporaryFolder } from './server.ts';

/** What tests of jobs in several processes share. */

/** Six documents, each of which is a shard. */
export const FILES = Object.fromEntries(
  Array.from({ length: 6 }, (_, index) => [`kb/${index}.txt`, `the text of ${index}. `.repeat(20)]),
);
export const FLAGS = ['--port', '0', '--host', '127.0.0.1', '--workers', '1', '--bulk-shard-documents', '1'];

/** Folders that the servers of a test share. */
export interface JobPlace {
  readonly root: string;
  /** The file that the chunker `gated` waits for. */
  readonly gate: string;
  start(...args: string[]): ServerProcess;
}

export async function jobPlace(t: Cleanup, databaseUrl?: string): Promise<JobPlace> {
  const root = await temporaryFolder(t, FILES);
  const PLUGINS_DIR = await pluginsFolder(t, GATED);
  const env = { PLUGINS_DIR, ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }) };
  const dataDir = await temporaryFolder(t);
  const start = (...args: string[]) =>
    startProcess(t, [...FLAGS, '--bulk-root', root, '--data-dir', dataDir, ...args], { env });
  return { root, gate: join(root, 'gate'), start };
}

/** Steps that wait for a file. */
export const gatedBy = (gate: string) => [{ type: 'chunk', chunker: 'gated', config: { gate } }];
