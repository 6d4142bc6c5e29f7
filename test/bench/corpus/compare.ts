import { flags, scaled } from '../flags.ts';
import { number, printTable, timesAsFast, withRange } from '../race/report.ts';
import { median, ratioOf } from '../race/statistics.ts';
import type { Run } from './processes.ts';

/** Something that is run several times. */
export interface Way {
  readonly name: string;
  run(): Promise<Run>;
}

/** The same work by this checkout and by another one. */
export interface Pair {
  readonly name: string;
  here(): Promise<Run>;
  /** Undefined if that checkout does not know this work. */
  there(): Promise<Run | undefined>;
}

const ROUNDS = scaled(5, 2);
const MB = 1e6;

/** Seconds that a run took, by its names in tables; NaN where a run does not say it. */
const COLUMNS: Readonly<Record<string, (run: Run) => number>> = {
  process: ({ whole = Number.NaN }) => whole,
  work: ({ seconds }) => seconds,
  core: ({ cpu = Number.NaN }) => cpu,
};

/**
 * Runs each way once in a round, and prints the medians of their speeds in MB/s: of the whole process, of its work without
 * the start, and by a second of processor time; then how many times as long the work takes as that of the first way. With
 * `--only`, the tables alone that have it in their titles.
 *
 * @throws Error if they do not make the same chunks of the same documents
 */
export async function compare(title: string, ways: readonly Way[]): Promise<void> {
  if (!title.includes(flags.only ?? '')) return;
  const ran = ways.map((way) => ({ ...way, runs: [] as Run[] }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const one of ran) one.runs.push(await one.run());
  }
  checkChunks(ran.flatMap(({ runs }) => runs));
  const work = ran.map(({ runs }) => speedsOf(runs, ({ seconds }) => seconds));
  const [base = []] = work;
  const columns = Object.entries(COLUMNS).filter(([, seconds]) =>
    ran.some(({ runs }) => runs.some((run) => !Number.isNaN(seconds(run)))),
  );
  const rows = ran.map(({ name, runs }, at) => [
    name,
    ...columns.map(([, seconds]) => withRange(speedsOf(runs, seconds))),
    at === 0 ? '' : timesAsFast(ratioOf(base, work[at] as number[])),
  ]);
  printTable(title, ['', ...columns.map(([column]) => column), 'work takes'], rows);
}

/**
 * Runs each work in both checkouts by turns, and prints its speed in MB/s, of the whole run, and how many times as fast it is
 * here: the medians of the ratios of the rounds, by the clock and by processor time.
 */
export async function compareCheckouts(title: string, pairs: readonly Pair[]): Promise<void> {
  const rows: string[][] = [];
  for (const { name, here, there } of pairs) {
    const [ours, theirs]: [Run[], Run[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await here());
      const run = await there();
      if (run === undefined) break;
      theirs.push(run);
    }
    checkChunks([...ours, ...theirs]);
    const ratio = (seconds: (run: Run) => number) =>
      `${number(median(theirs.map((run, round) => seconds(run) / seconds(ours[round] ?? run))))}x`;
    const speeds = [ours, theirs].map((runs) => number(speedOf(runs, clock)));
    rows.push([name, ...speeds, ratio(clock), ratio(COLUMNS.core ?? clock)]);
  }
  printTable(title, ['', 'here', 'there', 'clock', 'core'], rows);
}

const clock = ({ whole, seconds }: Run): number => whole ?? seconds;

function speedOf(runs: readonly Run[], seconds: (run: Run) => number): number {
  return median(speedsOf(runs, seconds));
}

function speedsOf(runs: readonly Run[], seconds: (run: Run) => number): number[] {
  return runs.map((run) => run.bytes / MB / seconds(run));
}

function checkChunks(runs: readonly Run[]): void {
  const counts = new Map<number, number>();
  for (const { bytes, chunks } of runs) {
    const before = counts.get(bytes) ?? chunks;
    if (before !== chunks) throw new Error(`${before} chunks of ${bytes} bytes, and then ${chunks}`);
    counts.set(bytes, chunks);
  }
}
