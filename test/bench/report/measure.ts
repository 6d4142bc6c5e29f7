import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { busySeconds } from '../corpus/processes.ts';
import type { Table } from '../race/report.ts';
import { withFile } from '../race/temporary.ts';
import type { Figures } from './figures.ts';
import { SOURCES, type Source } from './sources.ts';

const ROOT = join(import.meta.dirname, '../../..');
const ENTRIES = { bench: '', eval: 'test/eval/main.ts', 'test:soak': 'test/soak/main.ts' } as const;
/** A source that hangs fails; searching code takes the longest, twenty minutes on a busy machine. */
const MAX_MS = 2_400_000;

export function commandOf(name: string): string {
  const { script, args } = SOURCES[name] as Source;
  return ['npm run', script, ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
}

/** Runs a source in a process, and gives what it printed; undefined if it failed. Broken promises of soak tests are figures. */
export async function measure(name: string): Promise<Figures | undefined> {
  const { script, args } = SOURCES[name] as Source;
  const [entry, given] =
    script === 'bench' ? [`test/bench/${args[0]}/main.ts`, args.slice(1)] : [ENTRIES[script], args];
  const [begin, before] = [Date.now(), coreSeconds()];
  const printed = await withFile('', async (file) => {
    const env = { ...process.env, BENCH_TABLES: file };
    const options = { cwd: ROOT, stdio: 'inherit', env, timeout: MAX_MS } as const;
    const { status } = spawnSync(process.execPath, ['--expose-gc', entry, ...given], options);
    return status === 0 || script === 'test:soak' ? readFileSync(file, 'utf8') : '';
  });
  if (printed === '') return undefined;
  const tables = printed
    .trimEnd()
    .split('\n')
    .map((line) => withVersions(JSON.parse(line) as Table));
  const seconds = (Date.now() - begin) / 1000;
  const [all, own] = coreSeconds().map((after, at) => after - (before[at] as number)) as [number, number];
  const others = Math.max(0, Math.round((100 * (all - own)) / (seconds * cpus().length)));
  const date = `${new Date(begin).toISOString().slice(0, 16)}Z`;
  return {
    source: name,
    command: commandOf(name),
    date,
    ...circumstances(),
    others,
    seconds: Math.round(seconds),
    tables,
  };
}

/** Seconds of processor time that all processes have taken, and those of this one that have ended. */
function coreSeconds(): [all: number, own: number] {
  const file = '/proc/self/stat';
  if (!existsSync(file)) return [busySeconds(), Number.NaN];
  const [, members = ''] = readFileSync(file, 'utf8').split(') ');
  const [user, system] = members.split(' ').slice(13, 15).map(Number) as [number, number];
  return [busySeconds(), (user + system) / 100];
}

function circumstances() {
  const processor = cpus()[0]?.model.trim() ?? 'unknown';
  const memory = `${Math.round(totalmem() / 1e9)} GB of memory`;
  const node = `Node ${process.versions.node} on ${process.platform} ${process.arch}`;
  const git = ['rev-parse', '--short=8', 'HEAD'];
  return {
    commit: execFileSync('git', git, { cwd: ROOT, encoding: 'utf8' }).trim(),
    version: versionIn(join(ROOT, 'package.json')),
    machine: `${availableParallelism()} cores of ${processor}, ${memory}, ${node}`,
  };
}

/** Packages, by what benchmarks call them. */
const PACKAGES: Readonly<Record<string, string>> = {
  chonkiejs: '@chonkiejs/core',
  langchain: '@langchain/textsplitters',
  llamaindex: '@llamaindex/core',
  tiktoken: 'tiktoken',
  'gpt-tokenizer': 'gpt-tokenizer',
  'ai-tokenizer': 'ai-tokenizer',
  'js-tiktoken': 'js-tiktoken',
  Fastify: 'fastify',
};
const CALLED = new RegExp(`(?<![\\w@/-])(${Object.keys(PACKAGES).join('|')})(?![\\w/-])`, 'g');

/** The peers of a table with the versions that are installed. */
function withVersions(table: Table): Table {
  const named = (name: string) =>
    name.replace(CALLED, (called) => `${PACKAGES[called]} ${versionOf(PACKAGES[called] as string)}`);
  const rows = table.rows.map(([name = '', ...cells]) => [named(name), ...cells]);
  if (table.speeds === undefined) return { ...table, rows };
  return { ...table, rows, speeds: table.speeds.map((one) => ({ ...one, name: named(one.name) })) };
}

function versionOf(name: string): string {
  const folders = [join(import.meta.dirname, '..'), ROOT];
  const files = folders.map((folder) => join(folder, 'node_modules', name, 'package.json'));
  return versionIn(files.find(existsSync) as string);
}

function versionIn(file: string): string {
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}
