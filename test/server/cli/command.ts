import { AsyncLocalStorage } from 'node:async_hooks';
import { chdir, cwd as folderNow } from 'node:process';
import { PassThrough } from 'node:stream';
import { format } from 'node:util';
import type { Test } from 'tap';
import { runCommand } from '../../../server/cli/run-command.ts';
import type { Cleanup } from '../../support/server.ts';
import { type CliResult, pluginFolders, resultOf } from './cli.ts';

/**
 * Commands in the process of the test, as `node server/cli/main.ts` runs them: each with its own standard streams,
 * variables and `process.exit`. Those that run at the same time share a folder.
 */

type Signal = 'SIGINT' | 'SIGTERM';

export interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a command, with the plugins that shared tests name, and without threads; its input ends with the test. */
export function startCommand(t: Cleanup, args: readonly string[], options: CommandOptions) {
  const { cwd, env = {} } = options;
  const streams = new Streams();
  const leave = enter(cwd);
  const known = process.listeners('SIGINT');
  const variables = { ...env, WORKERS: '0', PLUGINS_DIR: pluginFolders(env).join(',') };
  const end = current.run(streams, () => statusOf(args, variables)).finally(leave);
  end.catch(() => {});
  t.teardown(async () => {
    streams.stdin.end();
    await end;
  });
  const { stdin, printed } = streams;
  return {
    stdin,
    /** All that was printed until now. */
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    /** Does what a signal would do. */
    interrupt(signal: Signal) {
      for (const listener of process.listeners(signal)) {
        if (!known.includes(listener)) current.run(streams, () => listener(signal));
      }
    },
    /** Waits for its end. */
    ended: async () => resultOf(await end, printed.stdout, printed.stderr),
  };
}

/** Runs a command to its end. @param input of standard input, which is empty without it */
export function runHere(
  t: Cleanup,
  args: readonly string[],
  { input = '', ...options }: CommandOptions & { readonly input?: string },
): Promise<CliResult> {
  const started = startCommand(t, args, options);
  started.stdin.end(input);
  return started.ended();
}

/** Holds that commands fail and print nothing else than why; with the status 2 where they were asked for what cannot be. */
export async function checkFailures(
  t: Test,
  run: (...args: string[]) => Promise<CliResult>,
  failures: readonly (readonly [args: string, says: RegExp, status?: 1 | 2])[],
): Promise<void> {
  const checks = failures.map(async ([args, says, status = 2]) => {
    const result = await run(...args.split(' '));
    t.match(result, { status, stderr: says }, args);
    t.equal(result.stdout, '', args);
  });
  await Promise.all(checks);
}

/** What `server/cli/main.ts` does. */
async function statusOf(args: readonly string[], env: Record<string, string>): Promise<number> {
  const streams = current.getStore();
  const status = await runCommand(args, env).catch((error: unknown) => {
    if (!(error instanceof Exit)) throw error;
  });
  return streams?.exited ?? (status as number);
}

/** What `process.exit` throws within a command, which prints nothing more. */
class Exit extends Error {}

class Streams {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly printed = { stdout: '', stderr: '' };
  /** The status with which the command has ended its process. */
  exited: number | undefined;

  constructor() {
    for (const name of ['stdout', 'stderr'] as const) {
      this[name].setEncoding('utf8').on('data', (text: string) => {
        this.printed[name] += text;
      });
    }
  }
}

/** The streams of the command from which a call comes. */
const current = new AsyncLocalStorage<Streams>();
let running = 0;
let shared = '';
let restore = () => {};

/** Lets a command begin. @returns what is to be called at its end */
function enter(folder: string): () => void {
  if (running === 0) restore = takeOver(folder);
  else if (shared !== folder) throw new Error('a command in another folder is running');
  running++;
  return () => {
    running--;
    if (running === 0) restore();
  };
}

/** Changes what a process has once: its streams, its folder and what listens to signals. */
function takeOver(folder: string): () => void {
  const before = folderNow();
  const listening = (['SIGINT', 'SIGTERM'] as const).map(keepListeners);
  const own = (['stdin', 'stdout', 'stderr'] as const).map((name) =>
    replace(process, name, (stream) => current.getStore()?.[name] ?? stream),
  );
  const exit = replace(process, 'exit', (all) => (current.getStore() === undefined ? all : throwExit));
  const printing = (['log', 'error'] as const).map((name) =>
    replace(console, name, (print) => {
      const streams = current.getStore();
      if (streams === undefined) return print;
      const stream = streams[name === 'log' ? 'stdout' : 'stderr'];
      return (...said: unknown[]) =>
        streams.exited === undefined && void stream.write(`${format(...said)}\n`);
    }),
  );
  shared = folder;
  chdir(folder);
  return () => {
    chdir(before);
    for (const undo of [...own, exit, ...printing, ...listening]) undo();
  };
}

/** @returns what removes all that listens to a signal by then and does not now */
function keepListeners(signal: Signal): () => void {
  const known = process.listeners(signal);
  return () => {
    for (const one of process.listeners(signal)) if (!known.includes(one)) process.off(signal, one);
  };
}

function throwExit(status: number | string | null = 0): never {
  const streams = current.getStore();
  if (streams !== undefined) streams.exited = Number(status);
  throw new Exit();
}

/** Has a property read by a function of what it was. @returns what undoes it */
function replace<T, K extends keyof T>(of: T, name: K, read: (own: T[K]) => unknown): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(of, name) as PropertyDescriptor;
  const own = of[name];
  Object.defineProperty(of, name, { configurable: true, get: () => read(own) });
  return () => Object.defineProperty(of, name, descriptor);
}
