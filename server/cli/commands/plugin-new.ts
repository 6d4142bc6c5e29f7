import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { Argument, Command } from 'commander';
import { KINDS, type Kind, manifestSchema } from '../../../core/contracts/manifest.ts';
import { stripTypes } from '../../http/docs/page-files.ts';
import { BUILT_IN_PLUGINS } from '../../plugins/loader/loader.ts';
import { folderOfKind } from '../../plugins/loader/plugin-folders.ts';
import { commandName, IS_CHECKOUT, nodeName } from '../command-name.ts';
import { UsageError } from '../errors.ts';

const ROOT = join(BUILT_IN_PLUGINS, '..');

interface NewFlags {
  readonly dir: string;
  readonly typescript?: true;
}

export function pluginNewCommand(): Command {
  return new Command('new')
    .description('Create a working plugin as a start for your own')
    .addArgument(new Argument('<kind>', 'kind of the plugin').choices(KINDS))
    .argument('<name>', 'its name, also that of its folder: lower-case letters, digits and hyphens')
    .option('--dir <folder>', 'folder of plugins in which its folder is created', 'my-plugins')
    .option('--typescript', 'in TypeScript instead of JavaScript')
    .addHelpText('after', `\nExample: ${commandName()} plugin new chunker mine`)
    .action((kind: Kind, name: string, { dir, typescript }: NewFlags) => {
      const language = typescript === true ? 'typescript' : 'javascript';
      const folder = writeNewPlugin(kind, name, dir, language);
      console.log(
        `Created ${folder}: manifest, index, README, package.json and a test. Change them as you like.`,
      );
      const test = join(folder, `${name}.test.${language === 'typescript' ? 'ts' : 'js'}`);
      const chunksmith = commandName();
      const isLoaded = `${resolve(dir)}${sep}`.startsWith(`${BUILT_IN_PLUGINS}${sep}`);
      for (const [title, command] of [
        ['Check it:', `${chunksmith} plugin check ${folder}`],
        [
          'Serve it, restarting whenever a file changes:',
          `${chunksmith} serve --reload${isLoaded ? '' : ` --plugins-dir ${dir}`}`,
        ],
        ['Call it while it is served:', CALLS[kind](name)],
        ['Run its test:', testOf(folder, test)],
      ])
        console.log(`\n${title}\n  ${command}`);
    });
}

/** The shell command that makes the package `chunksmith` available to a plugin and runs the plugin's test. */
function testOf(folder: string, test: string): string {
  if (!IS_CHECKOUT) return `npm install --save-dev chunksmith && node --test ${test}`;
  const modules = join(folder, 'node_modules');
  const link = `mkdir -p ${modules} && ln -sfn ${ROOT} ${join(modules, 'chunksmith')}`;
  return `${link} && ${nodeName()} --conditions=chunksmith-source --test ${test}`;
}

const post = (path: string, body: object) =>
  `curl -s localhost:8000/v1/${path} --json '${JSON.stringify(body)}'`;

const chunks = [{ text: 'Tea', start_index: 0, end_index: 3, token_count: 3 }];

/** Example requests that a new plugin can answer before its code is changed. */
const CALLS: Readonly<Record<Kind, (name: string) => string>> = {
  chunker: (name) => post(`chunk/${name}`, { text: 'First.\n---\nSecond.', chunk_size: 10 }),
  refinery: (name) => post(`refine/${name}`, { chunks }),
  tokenizer: (tokenizer) => post('tokenize', { text: 'Boil water.', tokenizer }),
  embedding: (embedding_model) => post('embed', { text: 'Abba', embedding_model }),
  reader: (name) => `curl -s localhost:8000/v1/chunk/auto/file -F file=@FILE -F reader=${name}`,
  sink: (name) => `see ${name}/README.md: it is the target of jobs, on a server with --bulk-root`,
};

/** The TypeScript templates of new plugins, by kind. They are read as text, never imported. */
const TEMPLATES = join(import.meta.dirname, '../templates');
const PLACEHOLDER = /my-plugin/g;
const TEST = 'test.js';

export type Language = 'javascript' | 'typescript';

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

/** A `package.json`, which makes the plugin's modules ESM and lets npm install packages in its folder. */
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
 * @throws UsageError if the name is invalid, or a plugin or folder with this name exists
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
