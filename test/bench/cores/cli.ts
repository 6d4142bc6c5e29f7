import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { DOCUMENT, jsonLines, writeLines } from '../corpus/data.ts';
import { chunk, chunkInto, type Run } from '../corpus/processes.ts';
import { flags, scaled } from '../flags.ts';
import { number, printTable, timesAsFast } from '../race/report.ts';
import { median, ratioOf } from '../race/statistics.ts';

const ROUNDS = scaled(5, 1);
const MB = 1e6;
/** The source that two processes halve. */
const WHOLE = scaled(60 * MB, 10 * MB);

/** Flags of the command by what they chunk with. */
const TASKS: Readonly<Record<string, readonly string[]>> = {
  recursive: ['--chunker', 'recursive'],
  docs: ['--preset', 'docs'],
};

/** The clock and the processor time of some runs side by side, in seconds. */
interface Cost {
  readonly wall: number;
  readonly cpu: number;
}

const costOf = ({ whole = Number.NaN, cpu = Number.NaN }: Run): Cost => ({ wall: whole, cpu });

const JOIN = `const all = []; for (let i = 0; i < 4e4; i++) all.push({ i, text: 'text '.repeat(i % 50) });
for (let i = 0; i < 12; i++) JSON.parse(JSON.stringify(all));`;
const LOOPS = {
  integers: 'let sum = 0; for (let i = 0; i < 3e9; i++) sum = (sum + i) | 0;',
  'JSON and strings': JOIN,
};

/** What two processes reach here beside one, whatever they are: no threads can do better. */
export async function runReach(): Promise<void> {
  const rows: string[][] = [];
  for (const [name, code] of Object.entries(LOOPS)) {
    const [one, two]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      one.push(await timeOf(() => loop(code)));
      two.push(await timeOf(() => Promise.all([loop(code), loop(code)])));
    }
    rows.push([
      name,
      timesAsFast(
        ratioOf(
          one.map((seconds) => 2 * seconds),
          two,
        ),
      ),
    ]);
  }
  printTable('Two processes beside one', ['', 'work in the same time'], rows);
}

async function loop(code: string): Promise<void> {
  await once(spawn(process.execPath, ['-e', code]), 'exit');
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return (performance.now() - begin) / 1000;
}

const DEFAULT_SIZES = flags.quick ? [0.2, 2] : [0.2, 2, 10, 20, 60];

/** The number of threads that the command chooses by itself, beside none. */
export async function runDefaults(folder: string): Promise<void> {
  const rows: string[][] = [];
  for (const size of DEFAULT_SIZES) {
    const { path } = writeLines(join(folder, 'in.jsonl'), size * MB, DOCUMENT);
    for (const [name, task] of Object.entries(TASKS)) {
      const run = async (...more: string[]) => costOf(await chunk(folder, [path, ...task, ...more]));
      rows.push([
        `${name}, ${size} MB`,
        ...(await turns(
          () => run('--workers', '0'),
          () => run(),
        )),
      ]);
    }
  }
  const header = ['', '--workers 0, s', 'by default, s', 'as fast', 'processor time'];
  printTable(`Threads by default (${availableParallelism()} cores), load ${loadNow()}`, header, rows);
}

/** Two threads of one process beside two processes, each over a half of the source. */
export async function runProcesses(folder: string): Promise<void> {
  const { path, documents } = writeLines(join(folder, 'in.jsonl'), WHOLE, DOCUMENT);
  const halves = writeHalves(folder, documents);
  const rows: string[][] = [];
  for (const [name, task, into] of [
    ['recursive', TASKS.recursive, chunk],
    ['recursive, --out', TASKS.recursive, chunkInto],
    ['docs', TASKS.docs, chunk],
  ] as const) {
    const both = async () => {
      const run = (half: string, at: number) => {
        const own = join(folder, `half-${at}`);
        mkdirSync(own, { recursive: true });
        return into(own, [half, ...(task ?? []), '--workers', '0']);
      };
      const runs = (await Promise.all(halves.map(run))).map(costOf);
      return {
        wall: Math.max(...runs.map(({ wall }) => wall)),
        cpu: runs.reduce((sum, { cpu }) => sum + cpu, 0),
      };
    };
    const threads = async () => costOf(await into(folder, [path, ...(task ?? []), '--workers', '2']));
    rows.push([name, ...(await turns(both, threads))]);
  }
  const header = ['', 'two processes, s', '--workers 2, s', 'as fast', 'processor time'];
  printTable(`Two threads beside two processes, ${WHOLE / MB} MB, load ${loadNow()}`, header, rows);
}

function writeHalves(folder: string, documents: number): string[] {
  const lines = [...jsonLines(WHOLE, DOCUMENT)];
  const half = Math.ceil(documents / 2);
  return [lines.slice(0, half), lines.slice(half)].map((some, at) => {
    const path = join(folder, `half-${at}.jsonl`);
    writeFileSync(path, Buffer.concat(some));
    return path;
  });
}

/** Runs both by turns. Gives the medians of their times, how fast the second is beside the first, and what it costs. */
async function turns(first: () => Promise<Cost>, second: () => Promise<Cost>): Promise<string[]> {
  const [base, other]: [Cost[], Cost[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    base.push(await first());
    other.push(await second());
  }
  const of = (costs: readonly Cost[], name: keyof Cost) => costs.map((cost) => cost[name]);
  return [
    number(median(of(base, 'wall'))),
    number(median(of(other, 'wall'))),
    timesAsFast(ratioOf(of(base, 'wall'), of(other, 'wall'))),
    timesAsFast(ratioOf(of(other, 'cpu'), of(base, 'cpu'))),
  ];
}

/** Sizes of the two runs whose difference has no start in it. */
const SIZES = flags.quick ? [2, 10] : [10, 60];
const SMALL_FILE = 1000;

interface Shape {
  readonly name: string;
  /** Writes a source of so many MB, and gives what the command is called with. */
  write(folder: string, megabytes: number): readonly string[];
  readonly into: typeof chunk;
}

const SHAPES: readonly Shape[] = [
  { name: 'JSON Lines', write: linesOf(DOCUMENT), into: chunk },
  { name: 'JSON Lines, --out', write: linesOf(DOCUMENT), into: chunkInto },
  { name: 'documents of 100 characters, --out', write: linesOf(100), into: chunkInto },
  { name: 'files of 1 KB', write: filesOf, into: chunk },
];

function linesOf(length: number): Shape['write'] {
  return (folder, megabytes) => {
    const { path } = writeLines(join(folder, `${length}-${megabytes}.jsonl`), megabytes * MB, length);
    return [path];
  };
}

function filesOf(folder: string, megabytes: number): string[] {
  const root = join(folder, `files-${megabytes}`);
  const text = Buffer.from('Some words in a file. '.repeat(50)).subarray(0, SMALL_FILE);
  for (let index = 0; index < megabytes * (MB / SMALL_FILE); index++) {
    const own = join(root, String(index % 100));
    if (index < 100) mkdirSync(own, { recursive: true });
    writeFileSync(join(own, `${index}.txt`), text);
  }
  return [root, '--root', folder];
}

/**
 * How many cores the main thread could feed: the processor time of the other threads for each MB, over its own. The start is
 * taken off by the difference of two sizes. Two threads that do not know what they are measured by.
 */
export async function runFeeding(folder: string): Promise<void> {
  const rows: string[][] = [];
  for (const { name, write, into } of SHAPES) {
    const sources = SIZES.map((megabytes) => write(folder, megabytes));
    const found: { main: number; workers: number; peak: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const [small, large] = (await eachOf(sources, (source) =>
        into(folder, [...source, ...(TASKS.recursive ?? []), '--workers', '2']),
      )) as [Required<Run>, Required<Run>];
      const bytes = large.bytes - small.bytes;
      const perMb = (seconds: number) => (seconds * 1e9) / bytes;
      const main = perMb(large.main - small.main);
      found.push({ main, workers: perMb(large.cpu - small.cpu) - main, peak: large.peak / MB });
    }
    const middle = (of: (one: (typeof found)[number]) => number) => median(found.map(of));
    rows.push([
      name,
      number(middle(({ main }) => main)),
      number(middle(({ workers }) => workers)),
      number(middle(({ main, workers }) => workers / main)),
      number(middle(({ peak }) => peak)),
    ]);
  }
  const header = ['', 'main, ms/MB', 'other threads, ms/MB', 'cores', 'most memory, MB'];
  printTable(`What the main thread could feed, recursive, load ${loadNow()}`, header, rows);
}

async function eachOf<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (const one of all) done.push(await work(one));
  return done;
}

const loadNow = (): string => number(loadavg()[0] as number);
