import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { flags } from '../flags.ts';
import type { Table } from '../race/report.ts';
import { withFile } from '../race/temporary.ts';
import { FILE, type Figures, readFigures } from './figures.ts';
import { SOURCES, type Source } from './sources.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Runs a source in a process, and keeps its figures in place of the former ones; a source that printed none keeps these. */
export async function measure(name: string): Promise<void> {
  const source = SOURCES[name] as Source;
  const { script, args } = commandOf(source);
  const command = ['npm run', script, ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
  console.log(`\n# ${command}`);
  const [load = 0] = loadavg();
  const begin = performance.now();
  const tables = await withFile('', async (file) => {
    const entry = script === 'bench' ? `test/bench/${args[0]}/main.ts` : ENTRIES[script];
    const given = script === 'bench' ? args.slice(1) : args;
    const options = { cwd: ROOT, stdio: 'inherit', env: { ...process.env, BENCH_TABLES: file } } as const;
    const { status } = spawnSync(process.execPath, ['--expose-gc', entry, ...given], options);
    if (status !== 0) process.exitCode = 1;
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    return lines.filter((line) => line !== '').map((line) => withVersions(JSON.parse(line) as Table));
  });
  if (tables.length === 0) return console.error(`${command} printed no table.`);
  const seconds = Math.round((performance.now() - begin) / 1000);
  const figures: Figures = {
    source: name,
    command,
    ...circumstances(),
    load: Math.round(load),
    seconds,
    tables,
  };
  const all = new Map(readFigures()).set(name, figures);
  const known = Object.keys(SOURCES).flatMap((one) => all.get(one) ?? []);
  writeFileSync(FILE, known.map((one) => `${JSON.stringify(one)}\n`).join(''));
}

const ENTRIES = { eval: 'test/eval/main.ts', 'test:soak': 'test/soak/main.ts' } as const;

function commandOf({ script, args, quick }: Source) {
  if (!flags.quick) return { script, args };
  return { script, args: quick ?? (script === 'bench' ? [...args, '--quick'] : args) };
}

function circumstances() {
  const processor = cpus()[0]?.model.trim() ?? 'unknown';
  const memory = `${Math.round(totalmem() / 1e9)} GB of memory`;
  const node = `Node ${process.versions.node} on ${process.platform} ${process.arch}`;
  const git = ['rev-parse', '--short=8', 'HEAD'];
  return {
    date: new Date().toISOString().slice(0, 10),
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
