import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Kind, manifestSchema } from '../../core/contracts/manifest.ts';
import { stripTypes } from '../http/docs/page-files.ts';
import { BUILT_IN_PLUGINS } from '../plugins/loader/loader.ts';
import { folderOfKind } from '../plugins/loader/plugin-folders.ts';
import { UsageError } from './errors.ts';

/** A plugin of each kind, in TypeScript. They are data: read, and never imported. */
const TEMPLATES = join(import.meta.dirname, 'templates');
/** What stands in the templates for the name of the plugin. */
const PLACEHOLDER = /my-plugin/g;
const TEST = 'test.js';

export type Language = 'javascript' | 'typescript';

/** The files of a new plugin, by their names. */
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

/** Its modules are such whatever package its folder stands in, and what it imports can be installed in it. */
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
 * Makes a folder with a new plugin.
 *
 * @param folder where the folder of the plugin is made
 * @returns the path of the folder of the plugin
 * @throws UsageError if the name cannot be used, or there is such a plugin or folder
 */
export function writeNewPlugin(kind: Kind, name: string, folder: string, language: Language): string {
  const { pattern, maxLength } = manifestSchema.properties.name;
  if (!new RegExp(pattern).test(name) || name.length > maxLength)
    throw new UsageError(
      `${name}: expected a name of small letters, digits and single hyphens between them, such as "my-${kind}", of at most ${maxLength} characters`,
    );
  if (existsSync(join(BUILT_IN_PLUGINS, folderOfKind(kind), name)))
    throw new UsageError(`${name}: a ${kind} of this name comes with the server; choose another name`);
  const path = join(folder, name);
  if (existsSync(path)) throw new UsageError(`${path}: this is there already; choose another name or --dir`);
  const files = newPluginFiles(kind, name, language);
  mkdirSync(path, { recursive: true });
  for (const [file, text] of files) writeFileSync(join(path, file), text);
  return path;
}

/** TypeScript as JavaScript that reads as if it had been written so. Lines without types stay as they are. */
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
