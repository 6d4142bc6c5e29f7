import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { reasonOf } from '../../core/errors.ts';
import type { PluginEntry } from '../../core/hosting/registry.ts';
import { splitList } from '../config/values.ts';
import { loadRegistry } from '../loader/loader.ts';
import { importsOf, packageOf } from './import-scanner.ts';

/** What was removed. */
export interface Trimmed {
  /** Folders of plugins, relative to the checkout. */
  readonly folders: readonly string[];
  /** Dependencies that only those plugins needed. */
  readonly packages: readonly string[];
}

/**
 * Trims a checkout: deletes the folders of the plugins that `--plugins` would not load, and their tests, and removes the
 * packages that only these need from package.json. Installed packages stay until the next `npm prune`.
 *
 * @param names plugins to keep, as `--plugins` takes them
 * @throws ServiceError `unknown_plugin`, and then nothing is deleted
 */
export async function trim(root: string, names: readonly string[]): Promise<Trimmed> {
  const all = await pluginsIn(root, []);
  const kept = await pluginsIn(root, names);
  const keptFiles = new Set(kept.map(({ file }) => file));
  const dropped = all.filter(({ file }) => !keptFiles.has(file));
  const needed = new Set([...packagesOf(kept), ...importedPackages(root)]);
  const packages = removeDependencies(
    root,
    packagesOf(dropped).filter((name) => !needed.has(name)),
  );
  const folders = dropped.map(({ file }) => dirname(file));
  const tests = testsOf(root, folders, new Set(kept.map(({ file }) => dirname(file))));
  for (const path of new Set([...folders, ...tests])) rmSync(path, { recursive: true });
  return { folders: folders.map((folder) => relative(root, folder)), packages };
}

async function pluginsIn(root: string, only: readonly string[]): Promise<readonly PluginEntry[]> {
  const registry = await loadRegistry({ folders: [join(root, 'plugins')], only, env: {} });
  return registry.all;
}

/**
 * The tests of plugins: what begins with the name of one among the tests of its kind, such as `code.test.ts` and
 * `code-samples/` of `code`, unless it begins with the longer name of a plugin that is kept.
 */
function testsOf(root: string, folders: readonly string[], kept: ReadonlySet<string>): string[] {
  return folders.flatMap((folder) => {
    const tests = join(root, 'test', relative(root, dirname(folder)));
    if (!existsSync(tests)) return [];
    const isOf = (test: string, plugin: string) => new RegExp(`^${basename(plugin)}([.-]|$)`).test(test);
    const isKept = (test: string) =>
      [...kept].some((other) => dirname(other) === dirname(folder) && isOf(test, other));
    const own = readdirSync(tests).filter((test) => isOf(test, folder) && !isKept(test));
    return own.map((test) => join(tests, test));
  });
}

function packagesOf(entries: readonly PluginEntry[]): string[] {
  return [...new Set(entries.flatMap(({ manifest }) => manifest.needs?.packages ?? []))];
}

/** The packages that the core and the server import themselves; a plugin may need the same ones. */
function importedPackages(root: string): string[] {
  const files = globSync(['core/**/*.ts', 'server/**/*.ts'], { cwd: root });
  const imports = files.flatMap((file) => importsOf(readFileSync(join(root, file), 'utf8')));
  return imports.flatMap(({ specifier }) => packageOf(specifier) ?? []);
}

/** Removes dependencies from package.json, and returns those that were in it. */
function removeDependencies(root: string, names: readonly string[]): string[] {
  const file = join(root, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { dependencies: Record<string, string> };
  const found = names.filter((name) => name in manifest.dependencies);
  for (const name of found) delete manifest.dependencies[name];
  if (found.length > 0) writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
  return found;
}

/** Whether the checkout has uncommitted changes; false outside git. */
function hasUncommittedChanges(root: string): boolean {
  if (!existsSync(join(root, '.git'))) return false;
  return execFileSync('git', ['status', '--porcelain'], { cwd: root }).length > 0;
}

function report({ folders, packages }: Trimmed): string {
  if (folders.length === 0) return 'Nothing to remove: every plugin is kept.';
  const lines = [
    ...folders.map((folder) => `removed ${folder}`),
    ...packages.map((name) => `removed the dependency ${name}`),
  ];
  if (packages.length > 0) lines.push('Run "npm prune" to delete the packages as well.');
  return lines.join('\n');
}

const USAGE = `Usage: npm run trim -- <plugins> [--force]

Deletes from this checkout every plugin that --plugins <plugins> would not load.
<plugins> is a list such as token,recursive. --force goes on if git has uncommitted changes.`;

async function main(args: readonly string[]): Promise<void> {
  const root = join(import.meta.dirname, '../..');
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { force: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const names = positionals.flatMap(splitList);
  if (names.length === 0) throw new Error(USAGE);
  if (!values.force && hasUncommittedChanges(root)) {
    throw new Error('git has uncommitted changes here: commit or stash them, or give --force.');
  }
  console.log(report(await trim(root, names)));
}

if (import.meta.main) {
  await main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(reasonOf(error));
    process.exit(2);
  });
}
