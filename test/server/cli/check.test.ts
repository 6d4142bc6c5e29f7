import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { addressOfServer } from '../../../server/cli/health.ts';
import { describeOptions, withoutLinks } from '../../../server/config/options.ts';
import { needs } from '../../support/here.ts';
import { startLoopback } from '../../support/loopback.ts';
import { chunker, plugin, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { temporaryFolder } from '../../support/server.ts';
import { setVariables } from '../../support/variables.ts';
import { runHere } from './command.ts';

/** What `check` says of a server, and how a start fails; processes/server.test.ts starts some. */

const ROOT = join(import.meta.dirname, '../../..');
const LOCAL = ['--host', '127.0.0.1', '--store', 'memory', '--plugins', 'token,character'];
const STACK = /\n\s+at /;

const run = (t: Test, args: readonly string[], env: Record<string, string> = {}) =>
  runHere(t, args, { cwd: ROOT, env });

t.test('check tries the port and prints workers and limits', async (t) => {
  const flags = '--port 0 --workers 3 --max-body-bytes 10MiB';
  const free = await run(t, ['check', ...LOCAL, ...flags.split(' ')]);
  t.equal(free.status, 0);
  for (const line of [
    /^Plugins:\n {2}chunker\/token: available\n/,
    /^ {2}--workers: 3$/m,
    /^ {2}--max-body-bytes: 10MiB$/m,
    /^ {2}--request-timeout: 300$/m,
    /^Address 127\.0\.0\.1:0: free$/m,
    /^Store of pipelines \(memory\): works$/m,
    /^Folder of jobs: none\nBuckets of jobs: none\nCallbacks of jobs: off, because BULK_CALLBACK_SECRET is/m,
  ])
    t.match(free.stdout, line);
  const { port } = new URL(await startLoopback(t, () => {}));
  const taken = await run(t, ['check', ...LOCAL, '--port', port]);
  t.equal(taken.status, 2);
  t.match(taken.stdout, new RegExp(`^Address 127\\.0\\.0\\.1:${port}: .* in use; .* --port`, 'm'));
  for (const host of ['192.0.2.1', 'no-such-host.invalid']) {
    const elsewhere = await run(t, ['check', ...LOCAL, '--host', host, '--port', '0']);
    t.match(elsewhere, { status: 2, stdout: new RegExp(`^Address ${host}:0: .*${host}.*--host`, 'm') });
  }
});

t.test("a plugin's address that is no URL stops the start, with and without check", async (t) => {
  const env = { REMOTE_URL: 'not-a-url', LOCAL_URL: 'localhost:11434/v1', BLANK_URL: '' };
  const folder = await pluginsFolder(t, chunker('remote', WHOLE_TEXT, { urls: Object.keys(env) }));
  const args = ['--port', '0', '--host', '127.0.0.1', '--plugins-dir', folder];
  const expected = 'expected a URL such as https://host or http://host:8080/path, got';
  const problems = [`LOCAL_URL: ${expected} "${env.LOCAL_URL}"`, `REMOTE_URL: ${expected} "not-a-url"`];
  for (const command of ['serve', 'check']) {
    const { status, stderr } = await run(t, [command, ...args], env);
    t.equal(status, 2);
    t.same(stderr.trim().split('\n').sort(), problems);
  }
  const only = await run(t, ['check', ...args, '--plugins', 'token', '--store', 'memory'], env);
  t.equal(only.status, 0, 'what no plugin reads is not looked at');
});

t.test('a folder that is not there stops the start, whichever option names it', async (t) => {
  for (const variable of ['MODELS_DIR', 'PLUGINS_DIR', 'BULK_ROOT']) {
    const { status, stderr } = await run(t, ['check', ...LOCAL, '--port', '0'], { [variable]: '/no/such' });
    t.equal(status, 2, variable);
    t.match(stderr, /\/no\/such: there is no such folder/);
    const file = await run(t, ['check', ...LOCAL, '--port', '0'], { [variable]: import.meta.filename });
    t.match(file, { status: 2, stderr: /check\.test\.ts: it is a file, not a folder/ });
  }
});

t.test('an alias of a model that is not here is told', needs('embedding/static'), async (t) => {
  const env = { MODEL_ALIASES: 'a=chunksmith/static-en-256,b=acme/nothing' };
  const { stdout } = await run(t, ['check', ...LOCAL, '--port', '0', '--plugins', 'token,static'], env);
  t.match(stdout, /^ {2}--model-aliases b=acme\/nothing: there is no model acme\/nothing here$/m);
  t.notMatch(stdout, /--model-aliases a=/);
});

t.test('what jobs may use is read at the start, and printed without keys', async (t) => {
  const archive = { endpoint: 'https://s3.example', bucket: 'docs', access_key_id: 'hidden' };
  const folder = await temporaryFolder(t, {
    'good.json': JSON.stringify({
      archive: { ...archive, secret_access_key: { env: 'ARCHIVE_SECRET' } },
      kb: { ...archive, secret_access_key: 'hidden', prefix: 'kb' },
    }),
    'bad.json': JSON.stringify({ archive: { ...archive, secret_access_kye: 'hidden' } }),
  });
  const env = { ARCHIVE_SECRET: 'hidden', BULK_CALLBACK_SECRET: 'hidden-hidden-hidden' };
  const using = (command: string, name: string, root: string, ...more: string[]) => {
    const jobs = ['--port', '0', '--bulk-root', root, '--bulk-connections', join(folder, name), ...more];
    return run(t, [command, ...LOCAL, ...jobs], env);
  };
  const buckets = 'archive (docs at https://s3.example/), kb (docs/kb at https://s3.example/)';
  for (const [flags, addresses] of [
    [[], 'public addresses only'],
    [['--bulk-callback-private'], 'any address'],
  ] as const) {
    const good = await using('check', 'good.json', folder, ...flags);
    t.equal(good.status, 0);
    t.match(good.stdout, `Folder of jobs: ${folder}\nBuckets of jobs: ${buckets}\n`);
    t.match(good.stdout, `Callbacks of jobs: signed, to ${addresses}\n`);
    t.notMatch(good.stdout + good.stderr, /hidden/);
  }
  for (const command of ['check', 'serve']) {
    const { status, stdout, stderr } = await using(command, 'bad.json', '/none');
    t.equal(status, 2);
    t.match(stderr, /^--bulk-root \/none: there is no such folder$/m);
    const problems = /\.secret_access_kye: unknown, valid names: .*\n.*archive\.secret_access_key: expected/;
    t.match(stderr, problems);
    t.notMatch(stdout + stderr, /hidden/);
  }
});

t.test('a start that fails says why, all of it', async (t) => {
  const bad = await pluginsFolder(t, chunker('bad', WHOLE_TEXT, { kind: 'chunkr' }));
  for (const [args, messages, env] of [
    ['--port=x', [/^--port: expected/m, /^LOG_LEVEL: expected/m], { LOG_LEVEL: 'loud' }],
    ['--prot 1', [/unknown option '--prot'\n.*Did you mean --port\?/]],
    ['--plugin-dir x', [/unknown option '--plugin-dir'\n.*Did you mean --plugins-dir\?/]],
    ['--port', [/'--port <integer>' argument missing/]],
    ['stray', [/too many arguments/]],
    ['--hf-token=secret', [/unknown option '--hf-token'$/m]],
    ["--hf-token=it's_secret", [/unknown option '--hf-token'$/m]],
    [`--plugins-dir ${bad}`, [/bad\/manifest\.js: manifest\.kind: expected one of/]],
    ['--plugins token,charactr', [/"charactr".*tokenizer\/character/]],
  ] as const) {
    const { status, stderr } = await run(t, ['serve', ...args.split(' ')], env);
    t.equal(status, 2, args);
    for (const message of messages) t.match(stderr, message);
    t.notMatch(stderr, STACK);
    t.notMatch(stderr, /secret/);
  }
});

t.test('--help and --version print and end', async (t) => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const help = await run(t, ['serve', '--help', '--port=wrong']);
  t.equal(help.status, 0);
  const said = help.stdout.replaceAll(/\s+/g, ' ');
  for (const { flag, variable, shown, description } of describeOptions()) {
    const name = flag || variable;
    const text = `${withoutLinks(description)}${shown && ` (default: ${shown})`}`;
    t.ok(new RegExp(` ${name} `).test(said) && said.includes(text), name);
  }
  t.notMatch(said, /\]\(|\.md#/, 'no links, which a terminal does not show');
  t.match(said, /see Buckets in server\/CORPORA\.md/);
  t.match(await run(t, ['serve', '--version']), { status: 0, stdout: `${version}\n` });
});

t.test('the health check follows --port and --host, and PORT and HOST', async (t) => {
  const asked = (flags: string[], variables: string[]) =>
    addressOfServer(['tini', '--', 'node', 'build/server/main.js', ...flags, ''], variables);
  const at = 'http://127.0.0.1:9';
  t.equal(asked(['--port', '9', '--host', '127.0.0.1'], ['A=b']), at);
  t.equal(asked(['--port=9'], ['PORT=2']), at);
  t.equal(asked([], ['PORT=9', 'HOST=127.0.0.1']), at);
  t.equal(asked(['--host', '::1'], ['PORT=9']), 'http://[::1]:9');
  t.equal(addressOfServer(['node', 'server/other.js', ''], []), undefined, 'a process that is no server');
});

const EXAMPLE = { example: { text: 'One. Two.' } };
const FACTORY = 'export default () => ({ chunk: (text) => [{ start: 0, end: text.length }] });\n';
const broken = (name: string, index: string, manifest: object = {}) =>
  plugin({ kind: 'chunker', name, ...manifest }, index);

/** A plugin whose index is TypeScript. */
function typed(name: string, index: string): Record<string, string> {
  const { [`${name}/index.js`]: _, ...files } = broken(name, '');
  return { ...files, [`${name}/index.ts`]: index };
}

/** Checks the plugins and, unless all are asked for, no others. */
async function checked(t: Test, plugins: Record<string, string>[], more: string[] = [], all = false) {
  const folder = await pluginsFolder(t, ...plugins);
  const names = plugins.map((files) => Object.keys(files)[0]?.split('/')[0]);
  const only = all ? [] : ['--plugins', ['token', 'character', ...names].join(',')];
  const args = ['--plugins-dir', folder, '--data-dir', await temporaryFolder(t), ...only, ...more];
  const { status, stdout, stderr } = await run(t, ['check', ...args]);
  t.equal(stderr, '');
  const lines = stdout.split('\n');
  const at = (line: string, name: string) => {
    const index = lines.findIndex((one) => one.startsWith(line));
    t.ok(index > 0, line);
    t.equal(lines[index + 1], `    in ${join(folder, name)}`);
  };
  return { status, lines, folder, at };
}

t.test('check runs the example of every plugin here, and calls no server on the network', async (t) => {
  setVariables(t, { OPENAI_API_KEY: 'sk-none', OPENAI_BASE_URL: 'http://127.0.0.1:9' });
  const { status, lines } = await checked(t, [chunker('fine', WHOLE_TEXT, EXAMPLE)], [], true);
  t.equal(status, 0);
  const plugins = lines.filter((line) => /^ {2}(chunker|refinery|embedding|tokenizer)\//.test(line));
  t.ok(plugins.includes('  chunker/fine: available'));
  for (const line of plugins) t.match(line, /: (available|missing, set the environment variable )/);
  t.ok(lines.some((line) => /^Store of pipelines \(.*\): works$/.test(line)));
});

t.test('check exits with 1 for a plugin that cannot be imported, and says why and where', async (t) => {
  const { status, lines, folder, at } = await checked(t, [
    broken('syntax', '// one\nconst two = = 2;\n'),
    typed('enums', 'const a: number = 1;\nenum B { C }\n'),
    broken('import', "\n\nimport x from 'no-such-package-x';\nexport default x;\n"),
    { ...broken('inner', "import './lib/parse.js';\n"), 'inner/lib/parse.js': 'export const a = 1;\n)\n' },
    broken('throws', "\nthrow new Error('no luck');\n"),
    broken('nothing', 'export const chunk = 1;\n'),
    broken('after', FACTORY),
  ]);
  t.equal(status, 1);
  const missing = `Cannot find package 'no-such-package-x' imported from ${join(folder, 'import/index.js')}`;
  for (const [name, problem] of [
    ['syntax', "SyntaxError: Unexpected token '='"],
    [
      'enums',
      'SyntaxError [ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX]: TypeScript enum is not supported in strip-only mode (index.ts:2)',
    ],
    ['import', `Error [ERR_MODULE_NOT_FOUND]: ${missing}`],
    ['inner', "SyntaxError: Unexpected token ')'"],
    ['throws', 'Error: no luck (index.js:2)'],
    ['nothing', 'The chunker "nothing" failed: the default export of its index is not a function.'],
  ] as const)
    at(`  chunker/${name}: cannot be imported, ${problem}`, name);
  t.ok(lines.includes('  chunker/after: available'), 'the others are checked');
});

t.test('check exits with 1 for an example that fails, here and in a worker', async (t) => {
  const words = `export default () => ({ names: () => ['words'], open: async () => ({ name: 'words', tokenize() {
 throw new Error('words fail'); } }) });`;
  const made = "export default () => { throw new Error('no model'); };";
  const plugins = [
    chunker('throws', '\n throw new TypeError("no luck");', EXAMPLE),
    chunker('loses', 'return [];', { ...EXAMPLE, guarantees: { lossless: true } }),
    plugin({ kind: 'tokenizer', name: 'words', models: ['words'] }, words),
    plugin({ kind: 'embedding', name: 'model', models: ['model'] }, made),
  ];
  const loses =
    'The chunker "loses" returned an answer that breaks its contract: the text from 0 to 9 is lost.';
  for (const workers of ['0', '1']) {
    const { status, at } = await checked(t, plugins, ['--workers', workers]);
    t.equal(status, 1);
    for (const [id, problem] of [
      ['chunker/throws', 'TypeError: no luck (index.js:2)'],
      ['chunker/loses', loses],
      ['tokenizer/words', 'Error: words fail (index.js:2)'],
      ['embedding/model', 'Error: no model (index.js:1)'],
    ] as const)
      at(`  ${id}: its example fails, ${problem}`, id.split('/')[1] as string);
  }
});

t.test('check says where a package has to be installed', async (t) => {
  const needs = { packages: ['fastest-levenshtein'] };
  const { status, lines, folder } = await checked(t, [chunker('packaged', WHOLE_TEXT, { needs })]);
  t.equal(status, 0, 'a plugin that lacks something is no failure');
  const at = lines.findIndex((line) => line.startsWith('  chunker/packaged: missing, '));
  t.match(lines[at], /run "npm install fastest-levenshtein" in the plugin's folder/);
  t.equal(lines[at + 1], `    in ${join(folder, 'packaged')}`);
});

t.test('the help says what it does, and where its flags are listed', async (t) => {
  const { status, stdout } = await run(t, ['check', '--help']);
  t.equal(status, 0);
  t.match(stdout, /Print what a service .* would have and lack, without starting it/);
  t.match(stdout, /Exits with 0 if the service would work/);
  t.match(stdout, /^The flags and the variables: .* serve --help$/m);
  t.ok(stdout.split('\n').length < 20, stdout);
  const serve = await run(t, ['serve', '--help']);
  t.match(serve.stdout, /--bulk-root/, 'which lists them');
});
