import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argv } from 'node:process';
import { writeCorpus } from './data.ts';
import { runMemory } from './memory.ts';
import { runPeers, runSpeeds } from './speeds.ts';

const SIZE = { files: 2000, fileLength: 49_000, linesBytes: 100e6, lineLength: 4300 };

const folder = mkdtempSync(join(tmpdir(), 'chunksmith-bench-'));
try {
  if (argv.includes('--memory')) await runMemory(folder, SIZE.lineLength);
  else {
    const corpus = writeCorpus(folder, SIZE);
    await runSpeeds(corpus, folder);
    await runPeers(corpus, folder);
    console.log('npm run bench -- corpus --memory sends 2 GB through standard input.\n');
  }
} finally {
  rmSync(folder, { recursive: true });
}
