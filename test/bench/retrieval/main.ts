import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Bm25 } from '../../../server/engine/operations/evaluation/bm25.ts';
import { createRandom, pick } from '../../support/random.ts';
import { scaled } from '../flags.ts';
import { printTable, printTitle } from '../race/report.ts';
import { quantile } from '../race/statistics.ts';

const CHUNKS = scaled(100_000, 10_000);
const CHARACTERS = 800;
const QUESTIONS = scaled(1000, 200);
const LISTED = 100;
const PACKAGES = join(import.meta.dirname, '../../../node_modules');

/** Chunks of the pages and sources of the installed packages, repeated if they are too few. */
function readChunks(): string[] {
  const chunks: string[] = [];
  const folder = process.env.BENCH_DATA ?? PACKAGES;
  const found = globSync('**/*.{md,ts,js}', { cwd: folder, withFileTypes: true });
  const files = found.filter((one) => one.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  files.sort();
  while (chunks.length < CHUNKS) {
    for (const file of files) {
      const text = readFileSync(file, 'utf8');
      for (let at = 0; at < text.length && chunks.length < CHUNKS; at += CHARACTERS)
        chunks.push(text.slice(at, at + CHARACTERS));
    }
  }
  return chunks;
}

/** Memory that is held after garbage collections, typed arrays included: those of the first are given back by the second. */
async function heldBytes(): Promise<number> {
  for (let round = 0; round < 2; round++) {
    globalThis.gc?.();
    await setImmediate();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function millisecondsSince(used: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(used);
  return (user + system) / 1000;
}

/** Questions: some words of a chunk. */
function questionsOf(chunks: readonly string[]): string[] {
  const random = createRandom(3);
  return Array.from({ length: QUESTIONS }, () => {
    const words = pick(random, chunks).split(/\s+/);
    return Array.from({ length: 12 }, () => pick(random, words)).join(' ');
  });
}

const chunks = readChunks();
const questions = questionsOf(chunks);
const bytes = chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0);
const before = await heldBytes();
const start = performance.now();
const used = process.threadCpuUsage();
const index = new Bm25();
for (const chunk of chunks) index.add(chunk);
index.search('', 1);
const seconds = (performance.now() - start) / 1000;
const busy = millisecondsSince(used) / 1000;
const held = (await heldBytes()) - before;
const times = questions.map((question) => {
  const [asked, usedThen] = [performance.now(), process.threadCpuUsage()];
  index.search(question, LISTED);
  return { clock: performance.now() - asked, processor: millisecondsSince(usedThen) };
});
const within = (share: number, by: 'clock' | 'processor') =>
  `${quantile(
    times.map((one) => one[by]),
    share,
  ).toFixed(1)} ms`;

// Chunks that are used no more would be collected, and counted as memory that is given back.
printTitle(`BM25 over ${chunks.length} chunks of ${CHARACTERS} characters, the ${LISTED} best, one thread`);
printTable(
  'By the clock; what this thread alone had of a processor is in brackets',
  ['', 'MB of text', 'built in', '', 'held', 'a question', 'p95', ''],
  [
    [
      'ours',
      (bytes / 1e6).toFixed(0),
      `${seconds.toFixed(1)} s`,
      `(${busy.toFixed(1)} s)`,
      `${(held / 1e6).toFixed(0)} MB`,
      within(0.5, 'clock'),
      within(0.95, 'clock'),
      `(${within(0.95, 'processor')})`,
    ],
  ],
);
