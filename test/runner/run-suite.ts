import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Parser } from 'tap-parser';
import type { Report } from './report.ts';

const SUITE = join(import.meta.dirname, 'suite.ts');
/**
 * How long a process may take to end after its last test, before what it still holds is a failure: V8 first compiles
 * the grammars that tests have loaded.
 */
const MAX_LINGERING = 60_000;
/** How long a process may say nothing, which has a time for each test. */
const MAX_SILENT = 400_000;
/** Enough for the longest file on a machine that has much else to do. */
const TEST_SECONDS = '300';

/** Runs test files in one process, with switches of V8, and reports each as it ends. */
export async function runSuite(
  root: string,
  files: readonly string[],
  report: Report,
  switches: readonly string[] = [],
): Promise<void> {
  const child = spawn(process.execPath, [...switches, '--conditions=chunksmith-source', SUITE, ...files], {
    cwd: root,
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/chunksmith-test'),
      TAP_TIMEOUT: TEST_SECONDS,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const left = new Set(files);
  let lingering: NodeJS.Timeout | undefined;
  const parser = new Parser();
  parser.on('result', (result) => report.assertion(result));
  parser.on('assert', (result) => {
    left.delete(result.name);
    report.fileDone(result);
    if (left.size === 0) lingering = setTimeout(() => child.kill('SIGKILL'), MAX_LINGERING);
  });
  const silent = setTimeout(() => child.kill('SIGKILL'), MAX_SILENT);
  child.stdout.on('data', () => silent.refresh()).pipe(parser);
  const errors = text(child.stderr);
  const [code, signal] = await once(child, 'close');
  clearTimeout(lingering);
  clearTimeout(silent);
  const failedAsReported = code === 1 && left.size === 0 && !parser.ok;
  if (code !== 0 && !failedAsReported) {
    report.suiteBroken({ files, left: [...left], code, signal, errors: await errors });
  }
}
