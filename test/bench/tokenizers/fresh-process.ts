import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FirstPass } from './first-pass.ts';

const execute = promisify(execFile);
const LIMIT_MS = 60_000;

/** Counts the text of a file in a fresh process. */
export async function countInFreshProcess(
  counter: string,
  encoding: string,
  file: string,
): Promise<FirstPass> {
  const args = ['--expose-gc', join(import.meta.dirname, 'first-pass.ts'), counter, encoding, file];
  const { stdout } = await execute(process.execPath, args, { timeout: LIMIT_MS });
  return JSON.parse(stdout) as FirstPass;
}
