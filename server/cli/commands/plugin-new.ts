import { join, resolve, sep } from 'node:path';
import { Argument, Command } from 'commander';
import { KINDS, type Kind } from '../../../core/contracts/manifest.ts';
import { BUILT_IN_PLUGINS } from '../../plugins/loader/loader.ts';
import { commandName, IS_CHECKOUT, nodeName } from '../command-name.ts';
import { writeNewPlugin } from '../new-plugin.ts';

const ROOT = join(BUILT_IN_PLUGINS, '..');

interface NewFlags {
  readonly dir: string;
  readonly typescript?: true;
}

/** `chunksmith plugin new chunker mine` */
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

/** How its test finds the package: installed, or linked to this checkout, which cannot be installed from. */
function testOf(folder: string, test: string): string {
  if (!IS_CHECKOUT) return `npm install --save-dev chunksmith && node --test ${test}`;
  const modules = join(folder, 'node_modules');
  const link = `mkdir -p ${modules} && ln -sfn ${ROOT} ${join(modules, 'chunksmith')}`;
  return `${link} && ${nodeName()} --conditions=chunksmith-source --test ${test}`;
}

const post = (path: string, body: object) =>
  `curl -s localhost:8000/v1/${path} --json '${JSON.stringify(body)}'`;

const chunks = [{ text: 'Tea', start_index: 0, end_index: 3, token_count: 3 }];

/** Requests that plugins answer as created. */
const CALLS: Readonly<Record<Kind, (name: string) => string>> = {
  chunker: (name) => post(`chunk/${name}`, { text: 'First.\n---\nSecond.', chunk_size: 10 }),
  refinery: (name) => post(`refine/${name}`, { chunks }),
  tokenizer: (tokenizer) => post('tokenize', { text: 'Boil water.', tokenizer }),
  embedding: (embedding_model) => post('embed', { text: 'Abba', embedding_model }),
  reader: (name) => `curl -s localhost:8000/v1/chunk/auto/file -F file=@FILE -F reader=${name}`,
  sink: (name) => `see ${name}/README.md: it is the target of jobs, on a server with --bulk-root`,
};
