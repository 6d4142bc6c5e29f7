import { type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

const HERE = import.meta.dirname;
const ROOT = join(HERE, '../../..');
/** The exit status of what was not asked for rightly. */
const USAGE = 2;

/** What programs say of one run over documents. */
export interface Run {
  /** Of the source. */
  readonly bytes: number;
  readonly chunks: number;
  /** What the work took, without the start. */
  readonly seconds: number;
  /** From the start to the end. */
  readonly whole?: number;
  /** Seconds of processor time, with those of the start; if the program says it, as what follows. */
  readonly cpu?: number;
  /** Of `cpu`, that of the main thread. */
  readonly main?: number;
  /** The most memory at a time, in bytes. */
  readonly peak?: number;
}

/**
 * Runs the command line over a source, and writes the chunks into a file.
 *
 * @param folder where it may write
 * @param root the checkout whose command line it is
 */
export function chunk(folder: string, args: readonly string[], root = ROOT): Promise<Run> {
  return commandLine(root, args, join(folder, 'chunks.jsonl'));
}

/** Runs the command line over what comes through standard input, and writes the chunks nowhere. */
export function chunkInput(input: Iterable<Buffer>, args: readonly string[]): Promise<Run> {
  return commandLine(ROOT, ['-', ...args], '/dev/null', input);
}

/** Runs the command line over a source, and writes the chunks into part files of a folder. */
export async function chunkInto(folder: string, args: readonly string[], root = ROOT): Promise<Run> {
  const out = join(folder, 'out');
  try {
    return await commandLine(root, [...args, '--out', out], '/dev/null');
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** What a program does not know, such as a flag that is younger than its checkout. */
export class UnknownWork extends Error {}

/** Undefined if the program does not know this work. */
export function unlessUnknown(run: Promise<Run>): Promise<Run | undefined> {
  return run.catch((error: unknown) => {
    if (error instanceof UnknownWork) return undefined;
    throw error;
  });
}

function commandLine(
  root: string,
  args: readonly string[],
  out: string,
  input: Iterable<Buffer> = [],
): Promise<Run> {
  return measured([join(root, 'server/cli/main.ts'), 'chunk', ...args, '--progress', 'json'], out, input);
}

/** Runs a program for Node by its path and what it is given, with its standard output in a file. */
export async function measured(
  args: readonly string[],
  out: string,
  input: Iterable<Buffer> = [],
): Promise<Run> {
  const file = openSync(out, 'w');
  const usage = ['--import', join(HERE, 'usage.ts')];
  const said = await run(process.execPath, [...usage, ...args], ['pipe', file, 'pipe'], input);
  closeSync(file);
  return said;
}

/** Runs the loop in Python over the first documents of a source. */
export function loop(url: string, source: string, most: number): Promise<Run> {
  const args = [join(HERE, 'loop.py'), url, source, String(most)];
  return run('python3', args, ['pipe', 'pipe', 'inherit']);
}

/** Gives how long a program took, and what it says in lines of JSON. @throws Error if the program fails, with all that it said */
export async function run(
  command: string,
  args: readonly string[],
  stdio: StdioOptions,
  input: Iterable<Buffer> = [],
): Promise<Run> {
  const begin = performance.now();
  const child = spawn(command, args, { stdio });
  const [said, [status]] = await Promise.all([
    text((child.stderr ?? child.stdout) as Readable),
    once(child, 'exit'),
    pipeline(Readable.from(input), child.stdin as NonNullable<typeof child.stdin>),
  ]);
  const Failure = status === USAGE ? UnknownWork : Error;
  if (status !== 0) throw new Failure(`${command} ${args.join(' ')}: ${status}\n${said}`);
  const lines = said.split('\n').filter((line) => line.startsWith('{'));
  const whole = (performance.now() - begin) / 1000;
  return Object.assign({ whole }, ...lines.map((line) => JSON.parse(line)));
}

/** Seconds that all cores have worked. */
export function busySeconds(): number {
  const times = cpus().map(({ times: { user, nice, sys, irq } }) => user + nice + sys + irq);
  return times.reduce((sum, milliseconds) => sum + milliseconds, 0) / 1000;
}

/** What a process has used; NaN where there is no /proc. */
export function processorSeconds(pid: number): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return Number.NaN;
  // The name of the program, in brackets, may have spaces; hundredths of a second in user mode and for it.
  const [, times = ''] = readFileSync(file, 'utf8').split(') ');
  const [user, system] = times.split(' ').slice(11, 13).map(Number) as [number, number];
  return (user + system) / 100;
}
