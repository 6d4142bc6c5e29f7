import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { STAND_INS } from './here.ts';
import { type Cleanup, clientFor } from './server.ts';
import { until } from './until.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** A machine that has much else to do is slow, not broken. */
const MAX_WAITING = 60_000;

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
  // As flags, which go before the environment.
  const folders = STAND_INS.length === 0 ? [] : [...STAND_INS, ...(env.PLUGINS_DIR?.split(',') ?? [])];
  const standIns = folders.flatMap((folder) => ['--plugins-dir', folder]);
  const { end, ...started } = startNode(t, [...entry, ...standIns, ...args], { cwd, env });
  const { child, stdout, stderr } = started;
  child.stdin.destroy();
  return {
    ...started,
    /** Waits until it listens. */
    async listening(milliseconds?: number) {
      const url = await until(() => {
        if (child.exitCode !== null) throw new Error(`it ended: ${stderr()}`);
        return /listening at (http:\/\/[\d.]+:\d+)/.exec(stdout())?.[1];
      }, milliseconds);
      return clientFor(url);
    },
    /** Waits until it has ended, and gives the exit code; null if a signal ended it. */
    async ended(milliseconds = MAX_WAITING) {
      const late = wait(milliseconds, ['it did not end'], { ref: false });
      const [code] = await Promise.race([end, late]);
      return code as number | null;
    },
  };
}

interface NodeOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A shell line that runs the command as `"$@"`. */
  readonly shell?: string;
  readonly uid?: number | undefined;
}

/** Starts Node in a process of its own; ended after the test. */
export function startNode(t: Cleanup, args: readonly string[], options: NodeOptions) {
  const { cwd, env, shell = 'exec "$@"', uid } = options;
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  // Without this, the test runner would load itself into the process.
  const script = ['--norc', '-c', `unset NODE_OPTIONS; ${shell}`, 'sh', process.execPath];
  const child = spawn('/bin/bash', [...script, ...args], {
    cwd,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
    ...(uid !== undefined && { uid, gid: uid }),
  });
  const end = once(child, 'close') as Promise<[code: number | null, signal: NodeJS.Signals | null]>;
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (printed[name] += text));
  child.stdin.on('error', () => {});
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
    child,
    /** Its exit code or the signal that ended it, once all is read that it printed. */
    end,
    /** All that was printed until now. */
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
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
