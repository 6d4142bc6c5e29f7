import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { join } from 'node:path';
import { STAND_INS } from './here.ts';
import { plugin } from './plugins.ts';
import type { Cleanup } from './server.ts';

const MAIN = join(import.meta.dirname, '../../server/cli/main.ts');

/** A command line in a process of its own. */
export interface CliProcess {
  readonly child: ChildProcess;
  /** All that was printed until now. */
  stdout(): string;
  stderr(): string;
  /** Waits for its end. */
  ended(): Promise<CliResult>;
}

/** A command that has ended. */
export interface CliResult {
  /** Null if a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The lines of standard output as JSON; throws where one is none. */
  lines<T = CliChunk>(): T[];
  /** The last line of standard error as JSON: the summary of `--json`. */
  summary(): Readonly<Record<string, unknown>>;
}

/** What tests read of a chunk. */
export interface CliChunk {
  readonly id: string;
  readonly text: string;
  readonly document_id: string | null;
  readonly metadata: unknown;
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
  const { PATH = '', HOME = '' } = process.env;
  const folders = [...STAND_INS, ...(env.PLUGINS_DIR?.split(',') ?? [])];
  // Without this, the test runner would load itself into the process.
  const script = ['--norc', '-c', `unset NODE_OPTIONS; ${shell}`, 'sh', process.execPath, MAIN];
  const child = spawn('/bin/bash', [...script, ...args], {
    cwd,
    env: { PATH, HOME, ...env, PLUGINS_DIR: folders.join(',') },
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

function resultOf(status: number | null, stdout: string, stderr: string): CliResult {
  return {
    status,
    stdout,
    stderr,
    lines: <T>() =>
      stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as T),
    summary: () => JSON.parse(stderr.trim().split('\n').at(-1) ?? ''),
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

/** Options of a chunker that is always there, whose chunks are so many characters. */
export const BY_CHARACTERS = (size: number): readonly string[] => [
  '--chunker',
  'token',
  '--tokenizer',
  'character',
  '--chunk-size',
  String(size),
];

/** The files of a chunker `gated`, which works on a text with `wait` in it only once there is a file `go`; `deaf` heeds no signal. */
export function gated(folder: string): Record<string, string> {
  const go = JSON.stringify(join(folder, 'go'));
  const index = `import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
export default () => ({
  async chunk(text, options, { signal }) {
    if (text.includes('fail')) throw Object.assign(new Error('as it was asked to'), { expose: true });
    const heeded = text.includes('deaf') ? undefined : signal;
    while (text.includes('wait') && !existsSync(${go})) await sleep(20, undefined, { signal: heeded });
    return [{ start: 0, end: text.length }];
  },
});`;
  return plugin({ kind: 'chunker', name: 'gated' }, index);
}
