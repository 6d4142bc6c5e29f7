import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { flags } from './flags.ts';

const FOLDER = import.meta.dirname;
const ALL = globSync('*/main.ts', { cwd: FOLDER }).map(dirname).sort();
/** Those that `--against` can be given to. */
const OF_CHECKOUTS = ['corpus', 'jobs'];

/**
 * Entry of `npm run bench`: runs the named benchmarks, by default all, each in a process of its own, or writes the report.
 * Flags are passed on to them.
 */
async function run(args: readonly string[]): Promise<void> {
  const { names, against } = flags;
  if (names[0] === 'report') {
    installPeers();
    return (await import('./report/write.ts')).writeReport();
  }
  const benches = against === undefined ? ALL : OF_CHECKOUTS;
  const unknown = names.filter((name) => !benches.includes(name));
  if (unknown.length > 0) {
    console.error(`Unknown: ${unknown.join(', ')}. There are ${benches.join(', ')}.`);
    process.exit(2);
  }
  installPeers();
  const cores = availableParallelism();
  console.log(
    `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cores} cores. MB = 10^6 bytes of UTF-8.`,
  );
  console.log(
    `Texts: ${process.env.BENCH_DATA ? 'the .md files of BENCH_DATA' : 'made from word lists; BENCH_DATA=<folder of .md files> takes others'}.`,
  );
  console.log(`Peers: ${versions()}.`);
  for (const name of names.length > 0 ? names : benches) {
    console.log(`\n# ${name} (npm run bench -- ${name})`);
    const { status } = spawnSync(process.execPath, ['--expose-gc', join(FOLDER, name, 'main.ts'), ...args], {
      stdio: 'inherit',
    });
    if (status !== 0) process.exitCode = 1;
  }
}

/** Installs the packages that only the benchmarks use, at first use and when their lock file has changed. */
function installPeers(): void {
  const installed = changedAt('node_modules/.package-lock.json');
  if (installed > 0 && installed >= changedAt('package-lock.json')) return;
  console.log('Installing the peers into test/bench/node_modules (npm ci) ...');
  const options = { cwd: FOLDER, stdio: 'inherit' } as const;
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], options);
  if (status !== 0) process.exit(1);
}

/** The packages of this folder with their versions. */
function versions(): string {
  const { dependencies } = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8'));
  return Object.entries(dependencies)
    .map((one) => one.join(' '))
    .join(', ');
}

/** When a file was written, or 0 if there is none. */
function changedAt(file: string): number {
  return statSync(join(FOLDER, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

await run(process.argv.slice(2));
