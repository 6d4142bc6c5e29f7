import { join } from 'node:path';
import { flags, scaled } from '../flags.ts';
import { number, printTable, printTitle } from '../race/report.ts';
import { withCleanup } from '../race/temporary.ts';
import { DOCUMENT, jsonLines, writeFiles, writeFormats } from './data.ts';
import { chunkInput } from './processes.ts';
import { runAgainst, runFormats, runPeers, runSpeeds } from './speeds.ts';

const FILES = { count: scaled(2000, 200), length: 49_000 };
const LINES_BYTES = scaled(100e6, 20e6);
/** Characters of the text of a short row. */
const SHORT = 430;
const INPUTS = [20e6, 200e6, 2e9];
const MB = 1e6;

await withCleanup(async (_, folder) => {
  if (flags.memory) return runMemory();
  const files = writeFiles(join(folder, 'files'), FILES.count, FILES.length);
  const long = writeFormats(folder, 'long', LINES_BYTES, DOCUMENT);
  const short = writeFormats(folder, 'short', LINES_BYTES / 2, SHORT);
  const parts = {
    [`${files.documents} files of Markdown`]: files,
    [`${long.jsonl.documents} lines of JSON`]: long.jsonl,
  };
  const formats = Object.fromEntries(
    [long, short].map((corpora) => [`${corpora.jsonl.documents} documents`, corpora]),
  );
  if (flags.against !== undefined) return runAgainst(parts, formats, folder, flags.against);
  await runSpeeds(parts, folder);
  await runPeers(parts, folder);
  await runFormats(formats, folder);
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
