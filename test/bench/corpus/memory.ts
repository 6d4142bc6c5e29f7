import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { number, printTable, printTitle } from '../race/report.ts';
import { chunkInput } from './processes.ts';

const SIZES = [20e6, 200e6, 2e9];
const MB = 1e6;

/** How much memory the command line takes for documents that come through standard input. @param folder for what is written */
export async function runMemory(folder: string, lineLength: number): Promise<void> {
  printTitle('Memory of the command line: JSON Lines from standard input, recursive, two threads');
  const rows: string[][] = [];
  for (const size of SIZES) {
    const generate = [join(import.meta.dirname, 'generate-process.ts'), String(size), String(lineLength)];
    const source = spawn(process.execPath, generate, { stdio: ['ignore', 'pipe', 'inherit'] });
    const args = ['--chunker', 'recursive', '--workers', '2'];
    const { bytes, peak = Number.NaN, whole = Number.NaN } = await chunkInput(folder, source.stdout, args);
    rows.push([`${number(bytes / MB)} MB`, number(peak / MB), number(bytes / MB / whole)]);
  }
  printTable('', ['', 'most MB of memory', 'MB/s'], rows);
  console.log('');
}
