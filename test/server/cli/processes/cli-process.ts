import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from '../../../support/server.ts';
import { type CliResult, pluginFolders, resultOf } from '../cli.ts';

const MAIN = join(import.meta.dirname, '../../../../server/cli/main.ts');

/** A command line in a process of its own. */
export interface CliProcess {
  readonly child: ChildProcess;
  /** All that was printed until now. */
  stdout(): string;
  stderr(): string;
  /** Waits for its end. */
  ended(): Promise<CliResult>;
}

export interface CliOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A shell line that runs the command as `"$@"`. */
  readonly shell?: string;
  readonly uid?: number;
}

/** Starts `node server/cli/main.ts`, with the plugins that shared tests name; ended after the test. */
export function startCli(t: Cleanup, args: readonly string[], options: CliOptions): CliProcess {
  const { cwd, env = {}, shell = 'exec "$@"', uid } = options;
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  // Without this, the test runner would load itself into the process.
  const script = ['--norc', '-c', `unset NODE_OPTIONS; ${shell}`, 'sh', process.execPath, MAIN];
  const child = spawn('/bin/bash', [...script, ...args], {
    cwd,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env, PLUGINS_DIR: pluginFolders(env).join(',') },
    ...(uid !== undefined && { uid, gid: uid }),
  });
  const end = once(child, 'close');
  const printed = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  child.stdout.on('data', (piece: Buffer) => printed.stdout.push(piece));
  child.stderr.on('data', (piece: Buffer) => printed.stderr.push(piece));
  child.stdin.on('error', () => {});
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await end;
  });
  const stdout = () => Buffer.concat(printed.stdout).toString();
  const stderr = () => Buffer.concat(printed.stderr).toString();
  return {
    child,
    stdout,
    stderr,
    async ended() {
      const [code, signal] = (await end) as [number | null, NodeJS.Signals | null];
      // As shells have it: a signal that comes when Node has nearly ended ends it by itself.
      const status = signal === 'SIGINT' ? 128 + constants.signals.SIGINT : code;
      return resultOf(status, stdout(), stderr());
    },
  };
}

/** Runs a command to its end. @param input of standard input, which is empty without it */
export async function runCli(
  t: Cleanup,
  args: readonly string[],
  { input = '', ...options }: CliOptions & { readonly input?: string | Uint8Array },
): Promise<CliResult> {
  const started = startCli(t, args, options);
  started.child.stdin?.end(input);
  return started.ended();
}
