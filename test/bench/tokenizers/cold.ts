import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freshText, mainText } from '../data/texts.ts';
import { scaled } from '../flags.ts';
import { number, printSpeeds, printTable } from '../race/report.ts';
import { median } from '../race/statistics.ts';
import { withFile } from '../race/temporary.ts';
import { COUNTERS } from './counters.ts';
import type { FirstPass } from './first-pass.ts';

const LIMIT_MS = 60_000;
const RUNS = scaled(5, 2);
const BYTES = scaled(10e6, 3e6);
const BUDGET_MS = 20_000;
const ENCODING = 'cl100k_base';
const HEADER = ['', '2nd pass MB/s', 'load ms', 'memory + MB', 'tokens'];

/** The first passes of a counter, each in a fresh process. */
interface Runs {
  readonly counter: string;
  readonly passes: FirstPass[];
  failure?: string;
}

/** Compares the first passes of the counters, by turns. */
export async function runCold(): Promise<void> {
  const text = freshText(mainText(), BYTES);
  const all = Object.keys(COUNTERS).map((counter): Runs => ({ counter, passes: [] }));
  await withFile(text, async (file) => {
    for (let run = 0; run < RUNS; run++) {
      for (const one of all) await addPass(one, file);
    }
  });
  const bytes = Buffer.byteLength(text);
  const firsts = all.map(({ counter, passes, failure }) => ({
    name: counter,
    isOurs: counter === 'chunksmith',
    times: failure === undefined ? passes.map(({ first }) => first) : [],
    failure,
  }));
  printSpeeds(`${ENCODING}, ${mainText().name}, one word in sixty altered`, firsts, bytes);
  const rows = all.flatMap(({ counter, passes, failure }) => {
    if (failure !== undefined) return [];
    const middle = (name: keyof FirstPass) => median(passes.map((pass) => pass[name]));
    const figures = [bytes / 1e3 / middle('second'), middle('load'), middle('memory') / 1e6].map(number);
    return [[counter, ...figures, String(middle('tokens'))]];
  });
  printTable('then', HEADER, rows);
}

/** A counter that is slow or has failed sits out the rest. */
async function addPass(runs: Runs, file: string): Promise<void> {
  const spent = runs.passes.reduce((sum, { first, second }) => sum + first + second, 0);
  if (runs.failure !== undefined || spent > BUDGET_MS) return;
  try {
    runs.passes.push(await countInFreshProcess(runs.counter, file));
  } catch (error) {
    runs.failure = (error as { killed?: boolean }).killed === true ? 'not done in time' : 'failed';
  }
}

/** Counts the text of a file in a fresh process. */
async function countInFreshProcess(counter: string, file: string): Promise<FirstPass> {
  const args = ['--expose-gc', join(import.meta.dirname, 'first-pass.ts'), counter, ENCODING, file];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: LIMIT_MS });
  return JSON.parse(stdout) as FirstPass;
}
