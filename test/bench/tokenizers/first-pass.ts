import { readFileSync } from 'node:fs';
import { processorMs } from '../race/race.ts';
import { COUNTERS, type Encoding } from './counters.ts';

/** The measurements of a fresh process, in milliseconds of its processor time. */
export interface FirstPass {
  readonly tokens: number;
  /** Milliseconds to load the library with its tables and to count one letter. */
  readonly load: number;
  /** Milliseconds of the first pass over the text. */
  readonly first: number;
  /** Milliseconds of the second pass. */
  readonly second: number;
  /** Bytes by which the resident memory grew, the load included. */
  readonly memory: number;
}

/** Entry of a fresh process: first-pass.ts <counter> <encoding> <file>. */
async function run([counter = '', encoding = '', file = '']: string[]): Promise<FirstPass> {
  const text = readFileSync(file, 'utf8');
  const create = COUNTERS[counter];
  if (create === undefined) throw new Error(`There is no counter ${counter}.`);
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const [load, count] = await timed(async () => {
    const open = await create(encoding as Encoding);
    if (open === undefined) throw new Error(`${counter} has no ${encoding}.`);
    open('a');
    return open;
  });
  const [first, tokens] = await timed(() => count(text));
  const [second] = await timed(() => count(text));
  return { tokens, load, first, second, memory: process.memoryUsage.rss() - before };
}

async function timed<T>(work: () => T | Promise<T>): Promise<[ms: number, result: T]> {
  const start = processorMs();
  const result = await work();
  return [processorMs() - start, result];
}

console.log(JSON.stringify(await run(process.argv.slice(2))));
