import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Import, importsOf } from '../tools/import-scanner.ts';

export const ROOT = join(import.meta.dirname, '..', '..');

/** Source texts by their paths in the repository. */
export type Sources = ReadonlyMap<string, string>;

/** What a rule says of one import; undefined if it may stand. */
export type Rule = (file: string, one: Import) => string | undefined;

/** All that the service runs. */
export const SOURCES = readSources('{core,plugins,server}/**/*.ts');

/** All that tests it. The bench is a package of its own. */
export const TESTS = readSources('test/**/*.ts', ['test/bench', '**/node_modules']);

function readSources(pattern: string, exclude: readonly string[] = []): Sources {
  const files = globSync(pattern, { cwd: ROOT, exclude }).sort();
  return new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
}

export const PACKAGE = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
};

export function breaches(sources: Sources, rule: Rule): string[] {
  return [...sources].flatMap(([file, source]) =>
    importsOf(source).flatMap((one) => {
      const breach = rule(file, one);
      return breach === undefined ? [] : [`${file} imports ${one.specifier}: ${breach}`];
    }),
  );
}

/** The path in the repository that a relative import leads to. */
export function targetOf(file: string, { specifier }: Import): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : undefined;
}

/** The folder of the plugin that a file belongs to. */
export function pluginFolderOf(file: string): string | undefined {
  return /^plugins\/(?!toolkit\/)[^/]+\/[^/]+(?=\/)/.exec(file)?.[0];
}

export function withoutComments(source: string): string {
  return source.replace(/^\s*\/\*[\s\S]*?\*\//gm, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}
