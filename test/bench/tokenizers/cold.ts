import { freshText, mainText } from '../data/texts.ts';
import { median, resultOf } from '../race/race.ts';
import { number, printSpeeds, printTable } from '../race/report.ts';
import { withFile } from '../race/temporary.ts';
import { COUNTERS } from './counters.ts';
import type { FirstPass } from './first-pass.ts';
import { countInFreshProcess } from './fresh-process.ts';

const RUNS = 5;
const BYTES = 10e6;
const BUDGET_MS = 20_000;
const ENCODING = 'cl100k_base';

/** Compares the first passes of the counters: every sample is a fresh process, by turns. */
export async function runCold(): Promise<void> {
  const text = freshText(mainText(), BYTES);
  const all = await withFile(text, measure);
  const results = all.map(({ counter, passes, failure }) => {
    const times = passes.map(({ first }) => first);
    return resultOf({ name: counter, isOurs: counter === 'chunksmith' }, times, failure || undefined);
  });
  const bytes = Buffer.byteLength(text);
  printSpeeds(`${ENCODING}, ${mainText().name}, one word in sixty altered`, results, bytes);
  const rows = all.map(({ counter, passes }) => [
    counter,
    number(bytes / 1e3 / median(passes.map(({ second }) => second))),
    number(median(passes.map(({ load }) => load))),
    number(median(passes.map(({ memory }) => memory)) / 1e6),
    String(passes[0]?.tokens ?? '-'),
  ]);
  printTable('The same processes', ['', '2nd pass MB/s', 'load ms', 'memory + MB', 'tokens'], rows);
}

interface Runs {
  readonly counter: string;
  readonly passes: FirstPass[];
  spent: number;
  failure: string;
}

/** Starts one process per counter by turns; a counter that is slow or has failed sits out the rest. */
async function measure(file: string): Promise<Runs[]> {
  const all = Object.keys(COUNTERS).map((counter): Runs => ({ counter, passes: [], spent: 0, failure: '' }));
  for (let run = 0; run < RUNS; run++) {
    for (const runs of all) {
      if (runs.failure !== '' || runs.spent > BUDGET_MS) continue;
      try {
        const pass = await countInFreshProcess(runs.counter, ENCODING, file);
        runs.passes.push(pass);
        runs.spent += pass.first + pass.second;
      } catch (error) {
        runs.failure = isTimeout(error) ? 'not done in time' : 'failed';
      }
    }
  }
  return all;
}

function isTimeout(error: unknown): boolean {
  return (error as { killed?: boolean }).killed === true;
}
