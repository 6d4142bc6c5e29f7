import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { STAND_INS } from './here.ts';
import { type Cleanup, type Client, clientFor } from './server.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MOST_WAITING = 20_000;

/** A server in a process of its own. */
export interface ServerProcess {
  readonly child: ChildProcess;
  /** All that was printed until now. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Waits until it listens. */
  listening(): Promise<Client>;
  /** Waits until it has ended, and gives the exit code; null if a signal ended it. */
  ended(milliseconds?: number): Promise<number | null>;
}

export interface ProcessOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What Node runs, with its first arguments. */
  readonly entry?: readonly string[];
}

/** Runs `node server/main.ts` with the given arguments, and the plugins that shared tests name; ended after the test. */
export function startProcess(
  t: Cleanup,
  args: readonly string[],
  options: ProcessOptions = {},
): ServerProcess {
  const { env = {}, cwd = ROOT, entry = [join(ROOT, 'server/main.ts')] } = options;
  const { PATH = '', HOME = '' } = process.env;
  // Without this, the test runner would load itself into the Node process.
  const command = ['-c', 'unset NODE_OPTIONS; exec "$0" "$@"', process.execPath];
  // As flags, which go before the environment.
  const folders = STAND_INS.length === 0 ? [] : [...STAND_INS, ...(env.PLUGINS_DIR?.split(',') ?? [])];
  const standIns = folders.flatMap((folder) => ['--plugins-dir', folder]);
  const child = spawn('/bin/sh', [...command, ...entry, ...standIns, ...args], {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = once(child, 'close');
  const printed = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text));
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await end;
  });
  return {
    child,
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    async listening() {
      const url = await until(() => {
        if (child.exitCode !== null) throw new Error(`it ended: ${printed.stderr}`);
        return /listening at (http:\/\/[\d.]+:\d+)/.exec(printed.stdout)?.[1];
      });
      return clientFor(url);
    },
    async ended(milliseconds = MOST_WAITING) {
      const [code] = (await Promise.race([end, wait(milliseconds, ['it did not end'], { ref: false })])) as [
        number | null,
      ];
      return code;
    },
  };
}

/** Asks every few milliseconds until the answer is neither undefined nor false, and throws if that takes too long. */
export async function until<T>(
  ask: () => T | Promise<T>,
  milliseconds = MOST_WAITING,
): Promise<Exclude<T, undefined | false>> {
  for (const end = Date.now() + milliseconds; Date.now() < end; await wait(20)) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>;
  }
  throw new Error(`not within ${milliseconds} ms`);
}
