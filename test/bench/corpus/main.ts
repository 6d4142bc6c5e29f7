import { join } from 'node:path';
import { argv } from 'node:process';
import { number, printTable, printTitle } from '../race/report.ts';
import { withCleanup } from '../race/temporary.ts';
import { DOCUMENT, jsonLines, writeFiles, writeLines } from './data.ts';
import { chunkInput } from './processes.ts';
import { runPeers, runSpeeds } from './speeds.ts';

const FILES = { count: 2000, length: 49_000 };
const LINES_BYTES = 100e6;
const INPUTS = [20e6, 200e6, 2e9];
const MB = 1e6;

await withCleanup(async (_, folder) => {
  if (argv.includes('--memory')) return runMemory();
  const files = writeFiles(join(folder, 'files'), FILES.count, FILES.length);
  const lines = writeLines(join(folder, 'corpus.jsonl'), LINES_BYTES, DOCUMENT);
  const parts = {
    [`${files.documents} files of Markdown`]: files,
    [`${lines.documents} lines of JSON`]: lines,
  };
  await runSpeeds(parts, folder);
  await runPeers(parts, folder);
  console.log('npm run bench -- corpus --memory sends 2 GB through standard input.\n');
});

/** How much memory the command line takes for documents that come through standard input. */
async function runMemory(): Promise<void> {
  printTitle('Memory of the command line: JSON Lines from standard input, recursive, two threads');
  const rows: string[][] = [];
  for (const size of INPUTS) {
    const input = jsonLines(size, DOCUMENT);
    const run = await chunkInput(input, ['--chunker', 'recursive', '--workers', '2']);
    const { bytes, peak = Number.NaN, whole = Number.NaN } = run;
    rows.push([`${number(bytes / MB)} MB`, number(peak / MB), number(bytes / MB / whole)]);
  }
  printTable('', ['', 'most MB of memory', 'MB/s'], rows);
}
