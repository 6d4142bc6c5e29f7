import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { STAND_INS } from './here.ts';
import { type Cleanup, clientFor } from './server.ts';
import { until } from './until.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** A machine that has much else to do is slow, not broken. */
const MOST_WAITING = 60_000;

/** A server in a process of its own. */
export type ServerProcess = ReturnType<typeof startProcess>;

interface ProcessOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What Node runs, with its first arguments. */
  readonly entry?: readonly string[];
}

/** Runs `node server/main.ts` with the given arguments, and the plugins that shared tests name; ended after the test. */
export function startProcess(t: Cleanup, args: readonly string[], options: ProcessOptions = {}) {
  const { env = {}, cwd = ROOT, entry = [join(ROOT, 'server/main.ts')] } = options;
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  // Without this, the test runner would load itself into the Node process.
  const command = ['-c', 'unset NODE_OPTIONS; exec "$0" "$@"', process.execPath];
  // As flags, which go before the environment.
  const folders = STAND_INS.length === 0 ? [] : [...STAND_INS, ...(env.PLUGINS_DIR?.split(',') ?? [])];
  const standIns = folders.flatMap((folder) => ['--plugins-dir', folder]);
  const child = spawn('/bin/sh', [...command, ...entry, ...standIns, ...args], {
    cwd,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = once(child, 'close');
  const printed = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text));
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    // Processes that it started may have them still.
    child.stdout.destroy();
    child.stderr.destroy();
  });
  return {
    child: child as ChildProcess,
    /** All that was printed until now. */
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    /** Waits until it listens. */
    async listening(milliseconds?: number) {
      const url = await until(() => {
        if (child.exitCode !== null) throw new Error(`it ended: ${printed.stderr}`);
        return /listening at (http:\/\/[\d.]+:\d+)/.exec(printed.stdout)?.[1];
      }, milliseconds);
      return clientFor(url);
    },
    /** Waits until it has ended, and gives the exit code; null if a signal ended it. */
    async ended(milliseconds = MOST_WAITING) {
      const [code] = (await Promise.race([end, wait(milliseconds, ['it did not end'], { ref: false })])) as [
        number | null,
      ];
      return code;
    },
  };
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
