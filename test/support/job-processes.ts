import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { OpenJobs } from './job-stores.ts';
import type { Cleanup } from './server.ts';

const PROGRAM = join(import.meta.dirname, 'job-worker.ts');

/** A process that works on the jobs of a test. */
export interface Worker {
  readonly child: ChildProcessWithoutNullStreams;
  /** The next line that it prints. */
  line(): Promise<string>;
}

/** Runs `job-worker.ts`, which is killed after the test. */
export function startWorker(t: Cleanup, what: string, { settings }: OpenJobs): Worker {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = spawn(process.execPath, [PROGRAM, what, JSON.stringify(settings)], { env, stdio: 'pipe' });
  child.stderr.pipe(process.stderr);
  const end = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGKILL');
    await end;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return { child, line: async () => String((await lines.next()).value) };
}
