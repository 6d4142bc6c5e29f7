import { median } from '../race/race.ts';
import { number, printTable } from '../race/report.ts';
import type { Run } from './processes.ts';

const ROUNDS = 3;
const MB = 1e6;

/** Something that is run several times. The others are compared with ours. */
export interface Way {
  readonly name: string;
  readonly isOurs?: boolean;
  run(): Promise<Run>;
}

/** MB/s; NaN if a run has no such speed. */
type Speed = (run: Run) => number;

const process: Speed = ({ bytes, whole = Number.NaN }) => bytes / MB / whole;
const work: Speed = ({ bytes, seconds }) => bytes / MB / seconds;
const core: Speed = ({ bytes, cpu = Number.NaN }) => bytes / MB / cpu;

/**
 * Runs each way once in a round, and prints the medians of their speeds in MB/s: of the whole process, of its work without
 * the start, and by a second of processor time; then how many times as fast as each of the others ours is.
 *
 * @throws Error if they do not make the same chunks of the same documents
 */
export async function compare(title: string, ways: readonly Way[]): Promise<void> {
  const ran = ways.map((way) => ({ ...way, runs: [] as Run[] }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const one of ran) one.runs.push(await one.run());
  }
  checkChunks(ran.flatMap(({ runs }) => runs));
  const ours = ran.find(({ isOurs }) => isOurs)?.runs ?? [];
  const rows = ran.map(({ name, runs }) => [
    name,
    ...[process, work, core].map((speed) => number(speedOf(runs, speed))),
    ...[process, work].map((speed) =>
      runs === ours ? '' : number(speedOf(ours, speed) / speedOf(runs, speed)),
    ),
  ]);
  printTable(title, ['', 'process', 'work', 'core', 'ours x', 'work x'], rows);
  console.log('');
}

function checkChunks(runs: readonly Run[]): void {
  const counts = new Map<number, number>();
  for (const { bytes, chunks } of runs) {
    const before = counts.get(bytes) ?? chunks;
    if (before !== chunks) throw new Error(`${before} chunks of ${bytes} bytes, and then ${chunks}`);
    counts.set(bytes, chunks);
  }
}

function speedOf(runs: readonly Run[], speed: Speed): number {
  return median(runs.map(speed));
}
