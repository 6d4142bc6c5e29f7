import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import pMap from 'p-map';
import { glob } from 'tinyglobby';
import { mustMakeServers, openServers } from '../servers/environment.ts';
import { createReport } from './report.ts';
import { runSuite } from './run-suite.ts';

/**
 * `npm test`: runs test files, all of one folder in one process. `--all` adds those that need processes of their own,
 * below folders named `processes`; folders or files given as arguments are run instead of all.
 */

const ROOT = join(import.meta.dirname, '../..');
/** One more than there are cores, since many tests wait for a timer or for another process. */
const LANES = availableParallelism() + 1;
/** Most functions of the many grammars that tests load run too seldom to be worth optimising. */
const SWITCHES = ['--liftoff-only'];

const { values, positionals } = parseArgs({
  options: { all: { type: 'boolean', default: false } },
  allowPositionals: true,
});

const files = await findTestFiles();
const report = createReport(process.stdout);
const servers = values.all ? openServers() : undefined;
await pMap(groupFiles(files), runGroup, { concurrency: LANES });
process.exitCode = report.finish() ? 0 : 1;

async function findTestFiles(): Promise<string[]> {
  const given = positionals.map((path) => relative(ROOT, path).replace(/\/$/, ''));
  const patterns = given.length === 0 ? ['test'] : given;
  const found = await glob(
    patterns.map((path) => (path.endsWith('.test.ts') ? path : `${path}/**/*.test.ts`)),
    { cwd: ROOT, ignore: ['test/bench/**', '**/node_modules/**'] },
  );
  const isRun = values.all || given.length > 0 ? () => true : (file: string) => !needsOwnProcess(file);
  const run = found.filter(isRun).sort();
  if (run.length === 0) throw new Error(`no test files below ${patterns.join(', ')}`);
  return run;
}

/** Tests with processes of their own wait for the real servers, which they may use. */
async function runGroup(group: readonly string[]): Promise<void> {
  if (isAlone(group)) await servers;
  await runSuite(ROOT, group, report, isAlone(group) ? [] : SWITCHES);
}

/**
 * Tests that need processes of their own come first, since they wait most, or last while servers are made; each has its
 * own suite.
 */
function groupFiles(files: readonly string[]): string[][] {
  const groups = Object.groupBy(files, (file) => (needsOwnProcess(file) ? file : folderOf(file)));
  const lists = Object.values(groups) as string[][];
  const order = values.all && mustMakeServers() ? -1 : 1;
  return lists.sort((a, b) => order * (Number(isAlone(b)) - Number(isAlone(a))) || b.length - a.length);
}

function isAlone([file = '']: readonly string[]): boolean {
  return needsOwnProcess(file);
}

function needsOwnProcess(file: string): boolean {
  return file.split('/').includes('processes');
}

/** Such as `test/server/http` and `test/plugins/chunkers`. */
function folderOf(file: string): string {
  return file.split('/').slice(0, -1).slice(0, 3).join('/');
}
