import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Kind, manifestSchema } from '../../core/contracts/manifest.ts';
import { stripTypes } from '../http/docs/page-files.ts';
import { BUILT_IN_PLUGINS } from '../plugins/loader/loader.ts';
import { folderOfKind } from '../plugins/loader/plugin-folders.ts';
import { UsageError } from './errors.ts';

/** A plugin of each kind, in TypeScript. These files are data: read, and never imported. */
const TEMPLATES = join(import.meta.dirname, 'templates');
/** Placeholder for the plugin's name in the templates. */
const PLACEHOLDER = /my-plugin/g;
const TEST = 'test.js';

export type Language = 'javascript' | 'typescript';

/** The files of a new plugin, by name. */
export function newPluginFiles(kind: Kind, name: string, language: Language): Map<string, string> {
  const folder = join(TEMPLATES, kind);
  const files = globSync('*', { cwd: folder })
    .sort()
    .map((file) => [file, join(folder, file)] as const);
  const all = [...files, [`${name}.test.ts`, join(TEMPLATES, TEST)] as const];
  const made = new Map(
    all.map(([file, path]): [string, string] => {
      const source = readFileSync(path, 'utf8').replace(PLACEHOLDER, name);
      if (language === 'typescript' || !file.endsWith('.ts')) return [file, source];
      return [file.replace(/ts$/, 'js'), withoutTypes(source)];
    }),
  );
  return made.set('package.json', packageOf(name));
}

/** Its modules are ESM whatever package its folder is in, and packages that it imports can be installed in it. */
function packageOf(name: string): string {
  const whole = {
    name: `chunksmith-plugin-${name}`,
    version: '0.1.0',
    type: 'module',
    keywords: ['chunksmith-plugin'],
  };
  return `${JSON.stringify(whole, undefined, 2)}\n`;
}

/**
 * Creates a folder with a new plugin.
 *
 * @param folder where the plugin's folder is created
 * @returns the path of the plugin's folder
 * @throws UsageError if the name cannot be used, or such a plugin or folder exists
 */
export function writeNewPlugin(kind: Kind, name: string, folder: string, language: Language): string {
  const { pattern, maxLength } = manifestSchema.properties.name;
  if (!new RegExp(pattern).test(name) || name.length > maxLength)
    throw new UsageError(
      `${name}: expected a name of lower-case letters, digits and single hyphens between them, such as "my-${kind}", of at most ${maxLength} characters`,
    );
  if (existsSync(join(BUILT_IN_PLUGINS, folderOfKind(kind), name)))
    throw new UsageError(`${name}: a ${kind} of this name comes with the server; choose another name`);
  const path = join(folder, name);
  if (existsSync(path)) throw new UsageError(`${path}: this already exists; choose another name or --dir`);
  const files = newPluginFiles(kind, name, language);
  mkdirSync(path, { recursive: true });
  for (const [file, text] of files) writeFileSync(join(path, file), text);
  return path;
}

/**
 * Strips types from TypeScript so that the result reads like hand-written JavaScript. Lines without types stay
 * unchanged.
 */
function withoutTypes(source: string): string {
  const lines = source.split('\n');
  const stripped = stripTypes(source).split('\n');
  const kept = stripped.flatMap((line, index) => {
    if (line === lines[index]) return [line];
    const tidy = line
      .trimEnd()
      .replace(/(?<=\S) +(?=[,;)\]])/g, '')
      .replace(/(?<=\S) {2,}/g, ' ');
    return tidy.trim() === '' ? [] : [tidy];
  });
  return kept
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimStart();
}
