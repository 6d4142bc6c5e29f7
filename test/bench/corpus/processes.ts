import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Usage } from './usage.ts';

const HERE = import.meta.dirname;
const COMMAND_LINE = join(HERE, '..', '..', '..', 'server', 'cli', 'main.ts');

/** One run of a program over documents. */
export interface Run extends Summary {
  /** From its start to its end; undefined if it does other things too. */
  readonly whole?: number | undefined;
  /** The most memory that it had at a time, in bytes. */
  readonly peak?: number | undefined;
}

/** The last line that a program says. */
interface Summary {
  /** Of the source. */
  readonly bytes: number;
  readonly chunks: number;
  /** What its work took, without its start. */
  readonly seconds: number;
  /** Seconds of processor time; of the command line, with its start. */
  readonly cpu?: number | undefined;
}

/** How documents are chunked: options of the command line. */
export type Options = readonly string[];

/** Runs the command line over a source, and writes the chunks into a file. @param folder where it may write */
export function chunk(folder: string, args: Options): Promise<Run> {
  return commandLine(folder, args, 'ignore', join(folder, 'chunks.jsonl'));
}

/** Runs the command line over what comes through standard input, and writes the chunks nowhere. */
export function chunkInput(folder: string, input: Readable, args: Options): Promise<Run> {
  return commandLine(folder, ['-', ...args], input, '/dev/null');
}

/** Runs the command line over a source, and writes the chunks into part files of a folder. */
export async function chunkInto(folder: string, args: Options): Promise<Run> {
  const out = join(folder, 'out');
  try {
    return await commandLine(folder, [...args, '--out', out], 'ignore', '/dev/null');
  } finally {
    rmSync(out, { recursive: true });
  }
}

async function commandLine(
  folder: string,
  args: Options,
  input: Readable | 'ignore',
  out: string,
): Promise<Run> {
  const [said, used] = [join(folder, 'said'), join(folder, 'used')];
  const begin = performance.now();
  const all = ['--import', join(HERE, 'usage.ts'), COMMAND_LINE, 'chunk', ...args, '--json'];
  await run(process.execPath, all, { input, out, errors: said, env: { BENCH_USAGE: used } });
  const whole = (performance.now() - begin) / 1000;
  return { ...summaryIn(said), whole, ...(JSON.parse(readFileSync(used, 'utf8')) as Usage) };
}

/** Hands the documents of a source, which are in memory before, to the engine. */
export async function engine(folder: string, args: Options): Promise<Run> {
  const said = join(folder, 'said');
  await run(process.execPath, [join(HERE, 'engine-process.ts'), ...args], { out: said });
  return summaryIn(said);
}

/** Runs the loop in Python over the first documents of a source. */
export async function loop(folder: string, url: string, source: string, most: number): Promise<Run> {
  const said = join(folder, 'said');
  await run('python3', [join(HERE, 'loop.py'), url, source, String(most)], { out: said });
  return summaryIn(said);
}

interface Ends {
  readonly input?: Readable | 'ignore';
  /** Files of what it writes. */
  readonly out: string;
  readonly errors?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** @throws Error if the program fails, with what it said */
async function run(command: string, args: readonly string[], { input = 'ignore', out, errors, env }: Ends) {
  const files = [out, ...(errors === undefined ? [] : [errors])].map((file) => openSync(file, 'w'));
  const [stdout, stderr = 'inherit'] = files;
  const child = spawn(command, args, { stdio: [input, stdout, stderr], env: { ...process.env, ...env } });
  const [status] = await once(child, 'exit');
  files.forEach(closeSync);
  if (status === 0) return;
  throw new Error(`${command} ${args.join(' ')}: ${status}\n${readFileSync(errors ?? out, 'utf8')}`);
}

function summaryIn(file: string): Summary {
  return JSON.parse(readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) as string) as Summary;
}
