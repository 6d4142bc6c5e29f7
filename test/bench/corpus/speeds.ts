import { withOurs } from '../http/servers.ts';
import { median } from '../race/race.ts';
import { number, printTable, printTitle } from '../race/report.ts';
import type { Corpus } from './data.ts';
import { chunk, chunkInto, loop, type Run } from './processes.ts';

const WAYS: Readonly<Record<string, readonly string[]>> = {
  recursive: ['--chunker', 'recursive'],
  markdown: ['--chunker', 'markdown'],
  'recursive with cl100k_base': ['--chunker', 'recursive', '--tokenizer', 'cl100k_base'],
};
/** What chunks: the first thread, or others beside it, which reads and writes. */
const THREADS = ['one thread', 'one worker thread', 'two worker threads'];
/** What part of the documents goes through the loop in Python. */
const LOOP_SHARE = 1 / 4;
const ROUNDS = 3;
const MB = 1e6;

/** The command line with one thread and with two. @param folder for what is written */
export async function runSpeeds(parts: Readonly<Record<string, Corpus>>, folder: string): Promise<void> {
  printTitle('The command line, by its threads');
  for (const [name, options] of Object.entries(WAYS)) {
    for (const [title, { path }] of Object.entries(parts)) {
      const runs = THREADS.map((name, workers) => ({
        name,
        run: () => chunk(folder, [path, ...options, '--workers', String(workers)]),
      }));
      await compare(`${name}, ${title}`, runs);
    }
  }
}

/** The command line against part files that can be gone on with, and against a loop over the API. */
export async function runPeers(parts: Readonly<Record<string, Corpus>>, folder: string): Promise<void> {
  printTitle('The command line, recursive, two threads, against other ways');
  const options = ['--chunker', 'recursive', '--workers', '2'];
  await withOurs(
    async ({ client }) => {
      const url = `${client.url}/v1/chunk/recursive`;
      for (const [title, { path, documents }] of Object.entries(parts)) {
        const most = Math.round(documents * LOOP_SHARE);
        await compare(title, [
          { name: 'one file', run: () => chunk(folder, [path, ...options]) },
          { name: 'part files, --out', run: () => chunkInto(folder, [path, ...options]) },
          { name: `Python, 8 requests at once, ${most} documents`, run: () => loop(url, path, most) },
        ]);
      }
    },
    ['--workers', '2'],
  );
}

/** Something that is run several times. */
interface Way {
  readonly name: string;
  run(): Promise<Run>;
}

/** Seconds that a run took, by its names in tables; NaN where a run does not say it. */
const COLUMNS: Readonly<Record<string, (run: Run) => number>> = {
  process: ({ whole = Number.NaN }) => whole,
  work: ({ seconds }) => seconds,
  core: ({ cpu = Number.NaN }) => cpu,
};

/**
 * Runs each way once in a round, and prints the medians of their speeds in MB/s: of the whole process, of its work without
 * the start, and by a second of processor time; then how many times as long the work takes as that of the first way.
 *
 * @throws Error if they do not make the same chunks of the same documents
 */
async function compare(title: string, ways: readonly Way[]): Promise<void> {
  const ran = ways.map((way) => ({ ...way, runs: [] as Run[] }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const one of ran) one.runs.push(await one.run());
  }
  checkChunks(ran.flatMap(({ runs }) => runs));
  const speed = (runs: readonly Run[], seconds: (run: Run) => number) =>
    median(runs.map((run) => run.bytes / MB / seconds(run)));
  const [base = Number.NaN] = ran.map(({ runs }) => speed(runs, ({ seconds }) => seconds));
  const rows = ran.map(({ name, runs }) => [
    name,
    ...Object.values(COLUMNS).map((seconds) => number(speed(runs, seconds))),
    `${number(base / speed(runs, ({ seconds }) => seconds))}x`,
  ]);
  printTable(title, ['', ...Object.keys(COLUMNS), 'work takes'], rows);
}

function checkChunks(runs: readonly Run[]): void {
  const counts = new Map<number, number>();
  for (const { bytes, chunks } of runs) {
    const before = counts.get(bytes) ?? chunks;
    if (before !== chunks) throw new Error(`${before} chunks of ${bytes} bytes, and then ${chunks}`);
    counts.set(bytes, chunks);
  }
}
