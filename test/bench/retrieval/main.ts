import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bm25 } from '../../../server/engine/operations/evaluation/bm25.ts';
import { createRandom, pick } from '../../support/random.ts';
import { scaled } from '../flags.ts';
import { quantile } from '../race/race.ts';
import { printTable, printTitle } from '../race/report.ts';

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

/** Memory that is held after a garbage collection, typed arrays included. */
function heldBytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
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
const before = heldBytes();
const start = performance.now();
const index = new Bm25();
for (const chunk of chunks) index.add(chunk);
index.search('', 1);
const seconds = (performance.now() - start) / 1000;
const held = heldBytes() - before;
const times = questions.map((question) => {
  const asked = performance.now();
  index.search(question, LISTED);
  return performance.now() - asked;
});
const within = (share: number) => `${quantile(times, share).toFixed(1)} ms`;

printTitle(`BM25 over ${CHUNKS} chunks of ${CHARACTERS} characters, the ${LISTED} best, one thread`);
printTable(
  'bm25',
  ['', 'MB of text', 'built in', 'held', 'a question', 'p95'],
  [
    [
      'ours',
      (bytes / 1e6).toFixed(0),
      `${seconds.toFixed(1)} s`,
      `${(held / 1e6).toFixed(0)} MB`,
      within(0.5),
      within(0.95),
    ],
  ],
);
