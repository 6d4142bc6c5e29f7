import { join } from 'node:path';
import t, { type Test } from 'tap';
import { chunker, plugin, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { startProcess } from '../../support/process.ts';
import { temporaryFolder } from '../../support/server.ts';

const EXAMPLE = { example: { text: 'One. Two.' } };
const FACTORY = 'export default () => ({ chunk: (text) => [{ start: 0, end: text.length }] });\n';
const broken = (name: string, index: string, manifest: object = {}) =>
  plugin({ kind: 'chunker', name, ...manifest }, index);

/** Runs `--check` with the plugins, and gives its exit code and the lines that it prints. */
async function check(t: Test, plugins: Record<string, string>[], more: string[] = []) {
  const folder = await pluginsFolder(t, ...plugins);
  const args = ['--check', '--plugins-dir', folder, '--data-dir', await temporaryFolder(t), ...more];
  const server = startProcess(t, args, {
    env: { OPENAI_API_KEY: 'sk-none', OPENAI_BASE_URL: 'http://127.0.0.1:9' },
  });
  const code = await server.ended();
  t.equal(server.stderr(), '');
  return { code, lines: server.stdout().split('\n'), folder };
}

t.test('--check runs the example of every plugin here, and calls no server on the network', async (t) => {
  const { code, lines } = await check(t, [chunker('fine', WHOLE_TEXT, EXAMPLE)]);
  t.equal(code, 0);
  const plugins = lines.filter((line) => /^ {2}(chunker|refinery|embedding|tokenizer)\//.test(line));
  t.ok(plugins.includes('  chunker/fine: available'));
  for (const line of plugins) t.match(line, /: (available|missing, set the environment variable )/);
  t.ok(lines.some((line) => /^Store of pipelines \(.*\): works$/.test(line)));
});

t.test('--check exits with 1 for a plugin that cannot be imported, and names file and line', async (t) => {
  const { code, lines, folder } = await check(t, [
    broken('syntax', '// one\nconst two = = 2;\n'),
    typed('enums', 'const a: number = 1;\nenum B { C }\n'),
    broken('import', "\n\nimport x from 'no-such-package-x';\nexport default x;\n"),
    { ...broken('inner', "import './lib/parse.js';\n"), 'inner/lib/parse.js': 'export const a = 1;\n)\n' },
    broken('throws', "\nthrow new Error('no luck');\n"),
    broken('nothing', 'export const chunk = 1;\n'),
    broken('exits', 'process.exit(0);\n'),
    broken('user', FACTORY, { uses: ['chunker/syntax'] }),
    broken('after', FACTORY),
  ]);
  t.equal(code, 1);
  for (const [name, problem] of [
    ['syntax', "Unexpected token '=' (index.js:2)"],
    ['enums', 'TypeScript enum is not supported in strip-only mode (index.ts:2)'],
    [
      'import',
      `Cannot find package 'no-such-package-x' imported from ${join(folder, 'import/index.js')} (index.js:3)`,
    ],
    ['inner', "Unexpected token ')' (lib/parse.js:2)"],
    ['throws', 'no luck (index.js:2)'],
    ['nothing', 'the default export of its index is not a function'],
    ['exits', 'its import ends the process'],
    ['user', 'it uses chunker/syntax, which cannot be imported'],
  ] as const) {
    const at = lines.indexOf(`  chunker/${name}: cannot be imported, ${problem}`);
    t.ok(at > 0, `${name}: ${problem}`);
    t.equal(lines[at + 1], `    in ${join(folder, name)}`);
  }
  t.ok(lines.includes('  chunker/after: available'), 'the others are checked');
});

t.test('--check exits with 1 for an example that fails, here and in a worker', async (t) => {
  const throws = '\n throw new TypeError("no luck");';
  for (const workers of ['0', '1']) {
    const { code, lines, folder } = await check(
      t,
      [
        chunker('throws', throws, EXAMPLE),
        chunker('loses', 'return [];', { ...EXAMPLE, guarantees: { lossless: true } }),
        plugin(
          { kind: 'tokenizer', name: 'words', models: ['words'] },
          "export default () => ({ names: () => ['words'], open: async () => ({ name: 'words', tokenize() {\n throw new Error('words fail'); } }) });",
        ),
        plugin(
          { kind: 'embedding', name: 'model', models: ['model'] },
          "export default () => { throw new Error('no model'); };",
        ),
      ],
      ['--workers', workers],
    );
    t.equal(code, 1);
    for (const [id, problem] of [
      ['chunker/throws', 'TypeError: no luck (index.js:2)'],
      [
        'chunker/loses',
        'The chunker "loses" returned an answer that breaks its contract: the text from 0 to 9 is lost.',
      ],
      ['tokenizer/words', 'Error: words fail (index.js:2)'],
      ['embedding/model', 'Error: no model (index.js:1)'],
    ] as const) {
      const at = lines.indexOf(`  ${id}: its example fails, ${problem}`);
      t.ok(at > 0, `${id}: ${problem}`);
      t.equal(lines[at + 1], `    in ${join(folder, id.split('/')[1] as string)}`);
    }
  }
});

t.test('--check says where a package has to be installed', async (t) => {
  const { code, lines, folder } = await check(t, [
    chunker('packaged', WHOLE_TEXT, { needs: { packages: ['fastest-levenshtein'] } }),
  ]);
  t.equal(code, 0, 'a plugin that lacks something is no failure');
  const at = lines.findIndex((line) => line.startsWith('  chunker/packaged: missing, '));
  t.match(lines[at], /run "npm install fastest-levenshtein" in the plugin's folder/);
  t.equal(lines[at + 1], `    in ${join(folder, 'packaged')}`);
});

/** A plugin whose index is TypeScript. */
function typed(name: string, index: string): Record<string, string> {
  const { [`${name}/index.js`]: _, ...files } = broken(name, '');
  return { ...files, [`${name}/index.ts`]: index };
}
