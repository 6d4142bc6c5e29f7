import { execFileSync } from 'node:child_process';
import { type Dirent, existsSync, globSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { reasonOf } from '../../core/errors.ts';
import type { PluginEntry } from '../../core/hosting/registry.ts';
import { splitList } from '../../server/config/values.ts';
import { loadRegistry } from '../../server/plugins/loader/loader.ts';
import { importsOf, packageOf } from './import-scanner.ts';
import { PACKAGED_NODE } from './slim.ts';

/** What the server loads when a bucket is first opened: 23 MB that a trimmed deployment has only if requested. */
const OF_BUCKETS = ['@aws-sdk/client-s3', '@aws-sdk/lib-storage'];

const CORPORA = ['server/corpora', 'test/server/corpora'];

/** What plugins share: it stays, with its tests, also for plugins from elsewhere. */
const TOOLKIT = 'toolkit';

/**
 * Trims a checkout: deletes the folders of the plugins that `--plugins` would not load, the tests of missing
 * plugins, and the dependencies in package.json that neither a plugin nor the server needs. Installed
 * packages stay until the next `npm prune`.
 *
 * @param names plugins to keep, as `--plugins` takes them; none for all that are here
 * @param options.buckets whether bucket support stays, if plugins are named
 * @param options.corpora whether jobs and the command `chunk` stay
 * @returns what was removed: folders relative to the checkout, and dependencies that nothing here needs
 * @throws ServiceError `unknown_plugin`, and then nothing is deleted
 */
export async function trim(root: string, names: readonly string[], { buckets = false, corpora = true } = {}) {
  const all = await pluginsIn(root, []);
  const kept = await pluginsIn(root, names);
  const keptFiles = new Set(kept.map(({ file }) => file));
  const dropped = all.filter(({ file }) => !keptFiles.has(file));
  const plugins = dropped.map(({ file }) => relative(root, dirname(file)));
  for (const folder of plugins) rmSync(join(root, folder), { recursive: true });
  const left = corpora ? [] : CORPORA.filter((folder) => existsSync(join(root, folder)));
  const others = [...testsLeftBehind(root), ...left];
  for (const folder of others) rmSync(join(root, folder), { recursive: true });
  const needed = new Set([...packagesOf(kept), ...importedPackages(root)]);
  if (names.length > 0 && !buckets) for (const name of OF_BUCKETS) needed.delete(name);
  return { folders: [...plugins, ...others], packages: keepDependencies(root, needed) };
}

async function pluginsIn(root: string, only: readonly string[]): Promise<readonly PluginEntry[]> {
  const registry = await loadRegistry({ folders: [join(root, 'plugins')], only, env: {} });
  return registry.all;
}

/** Tests without their plugin: `test/plugins/chunkers/code/` is removed together with `plugins/chunkers/code/`. */
function testsLeftBehind(root: string): string[] {
  const exclude = (entry: Dirent) => entry.name === TOOLKIT;
  const entries = globSync('test/plugins/*/*', { cwd: root, withFileTypes: true, exclude });
  // Files beside the folders are shared by the tests of one kind.
  const folders = entries.filter((entry) => entry.isDirectory());
  const paths = folders.map(({ parentPath, name }) => relative(root, join(parentPath, name)));
  return paths.filter((folder) => !existsSync(join(root, relative('test', folder)))).sort();
}

function packagesOf(entries: readonly PluginEntry[]): string[] {
  return [...new Set(entries.flatMap(({ manifest }) => manifest.needs?.packages ?? []))];
}

/** The packages that the core and the server import themselves; a plugin may need the same ones. */
function importedPackages(root: string): string[] {
  const files = globSync(['core/**/*.ts', 'plugins/toolkit/**/*.ts', 'server/**/*.ts'], { cwd: root });
  const imports = files.flatMap((file) => importsOf(readFileSync(join(root, file), 'utf8')));
  return imports.flatMap(({ specifier }) => packageOf(specifier) ?? []);
}

interface Dependencies {
  readonly dependencies: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}

/** Removes all other dependencies from package.json, and returns them. */
function keepDependencies(root: string, needed: ReadonlySet<string>): string[] {
  const file = join(root, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Dependencies;
  const unneeded: string[] = [];
  for (const packages of [manifest.dependencies, manifest.optionalDependencies ?? {}]) {
    const names = Object.keys(packages).filter((name) => !needed.has(name) && name !== PACKAGED_NODE);
    for (const name of names) delete packages[name];
    unneeded.push(...names);
  }
  if (unneeded.length > 0) writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
  return unneeded;
}

/** What this command changes. Other files, such as one with its own output, may have changes. */
const TOUCHED = ['core', 'plugins', 'server', 'test', 'package.json', 'package-lock.json'];

/** False outside git. */
function hasUncommittedChanges(root: string): boolean {
  if (!existsSync(join(root, '.git'))) return false;
  return execFileSync('git', ['status', '--porcelain', '--', ...TOUCHED], { cwd: root }).length > 0;
}

function report(root: string, { folders, packages }: Awaited<ReturnType<typeof trim>>): string {
  if (folders.length + packages.length === 0) return 'Nothing to remove: every plugin is kept.';
  const lines = [
    ...folders.map((folder) => `removed ${folder}`),
    ...packages.map((name) => `removed the dependency ${name}`),
  ];
  const isShared =
    lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink() === true;
  const remedy = isShared
    ? 'node_modules is a symbolic link: to remove the packages, delete the link and run "npm install".'
    : 'Run "npm prune" to delete the packages as well.';
  if (packages.length > 0) lines.push(remedy);
  return lines.join('\n');
}

const HELP = `Usage: npm run trim -- [plugins] [options]

Deletes all plugins but these and what they use, such as token,recursive, with their tests and packages. Without
names it deletes what is left of plugins whose folders were deleted by hand.

  --buckets     keep the support for buckets
  --no-corpora  delete jobs and the command chunk, too
  --force       even if git has uncommitted changes
  -h, --help    show this text`;

/**
 * `npm run trim -- token,recursive [--buckets] [--no-corpora] [--force]`; without names it only removes what is left of plugins whose folders
 * were deleted by hand.
 */
async function main(args: readonly string[]): Promise<void> {
  const root = join(import.meta.dirname, '../..');
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      force: { type: 'boolean', default: false },
      buckets: { type: 'boolean', default: false },
      corpora: { type: 'boolean', default: true },
      help: { type: 'boolean', short: 'h', default: false },
    },
    allowNegative: true,
    allowPositionals: true,
  });
  if (values.help) return console.log(HELP);
  const names = positionals.flatMap(splitList);
  if (names.length > 0 && !values.force && hasUncommittedChanges(root)) {
    throw new Error('git has uncommitted changes here: commit or stash them, or use --force.');
  }
  console.log(report(root, await trim(root, names, values)));
}

if (import.meta.main) {
  await main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(reasonOf(error));
    process.exit(2);
  });
}
