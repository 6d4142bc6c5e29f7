import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { readOpenApi } from '../../support/openapi.ts';
import { chunker, plugin, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { startProcess } from '../../support/process.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';
import { find } from './listed-plugins.ts';

/** With --tolerate-broken-plugins a server starts without the plugins that are broken, and says so. */

const INDEX = 'export default () => ({});\n';
/** A plugin in a folder of its kind. */
const inKind = (files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([file, text]) => [`chunkers/${file}`, text]));
const manifestOf = (name: string, text: string) => ({
  [`${name}/manifest.js`]: text,
  [`${name}/index.js`]: INDEX,
});

const BROKEN: readonly (readonly [name: string, kind: string | null, reason: RegExp])[] = [
  ['misspelt', 'chunker', /^manifest\.need: unknown parameter, did you mean "needs"/],
  ['unversioned', 'chunker', /^manifest\.version: expected a semantic version such as "1\.2\.0", got "1"$/],
  ['unranged', 'chunker', /^manifest\.engine: expected a range of semantic versions .*, got "new"$/],
  ['unparsed', 'chunker', /^its import fails with SyntaxError \(manifest\.js:1\)$/],
  ['throwing', null, /^its import fails with Error \(manifest\.js:1\)$/],
  ['half', 'chunker', /^there is no index\.ts/],
  ['empty', 'chunker', /^there is no manifest\.ts/],
  ['token', 'chunker', /^there is another chunker "token"$/],
  ['copy', 'tokenizer', /^models: tokenizer\/character has "character" too$/],
  ['first', 'chunker', /in a circle: chunker\/first -> chunker\/second -> chunker\/first$/],
  ['second', 'chunker', /^it uses chunker\/first, which is broken: plugins use each other in a circle/],
  ['user', 'chunker', /^it uses chunker\/misspelt, which is broken: manifest\.need/],
  ['user-of-user', 'refinery', /^it uses chunker\/user, which is broken: it uses chunker\/misspelt/],
];

const folder = await pluginsFolder(
  t,
  chunker('misspelt', WHOLE_TEXT, { need: {} }),
  chunker('unversioned', WHOLE_TEXT, { version: '1' }),
  chunker('unranged', WHOLE_TEXT, { engine: 'new' }),
  inKind(manifestOf('unparsed', 'export default {')),
  manifestOf('throwing', 'throw new Error("the key is sk-12345");'),
  { 'half/manifest.js': "export default { kind: 'chunker' };" },
  { 'chunkers/empty/notes.txt': '' },
  chunker('token', WHOLE_TEXT),
  plugin({ kind: 'tokenizer', name: 'copy', models: ['character'] }, INDEX),
  chunker('first', WHOLE_TEXT, { uses: ['chunker/second'] }),
  chunker('second', WHOLE_TEXT, { uses: ['chunker/first'] }),
  chunker('user', WHOLE_TEXT, { uses: ['chunker/misspelt'] }),
  plugin({ kind: 'refinery', name: 'user-of-user', uses: ['chunker/user'] }, INDEX),
  chunker('fine', WHOLE_TEXT),
);
const OPTIONS = { pluginsDir: [folder], tolerateBrokenPlugins: true };

for (const [title, config] of [
  ['inline', {}],
  ['in a worker', { workers: 1, inlineBytes: 0 }],
] as const) {
  t.test(`the others are served, ${title}`, async (t) => {
    const client = await startServer(t, { ...OPTIONS, ...config });
    for (const name of ['fine', 'token'])
      t.equal((await client.chunk(name, { text: 'abc' })).length, 1, name);
  });
}

t.test('broken plugins are listed with the reason, and nothing that is not for everyone', async (t) => {
  const client = await startServer(t, OPTIONS);
  const list = (await client.get('/v1/plugins')).json<Record<string, unknown>[]>();
  const broken = list.filter(({ state }) => state === 'broken');
  t.equal(broken.length, BROKEN.length);
  for (const [name, kind, reason] of BROKEN) {
    const shown = broken.find((one) => one.name === name);
    t.match(shown, { kind, origin: 'folder', available: false, reason, missing: [/^it is broken: /] }, name);
  }
  t.notMatch(JSON.stringify(broken), /sk-12345|\/tmp/);
  t.match((await client.get('/')).json(), { unavailable: [{}], endpoints: ['GET /'] });
  const { paths } = await readOpenApi(client);
  t.notOk('/v1/chunk/misspelt' in paths, 'the documentation has only what can be asked for');
});

t.test('a request for a broken plugin is told that it is broken, and why', async (t) => {
  const client = await startServer(t, OPTIONS);
  const body = { text: 'abc' };
  for (const path of ['chunk/misspelt', 'chunk/unparsed', 'chunk/misspelt/file', 'refine/user-of-user']) {
    const answer = await client.post(`/v1/${path}`, body);
    t.equal(answer.status, 500, path);
    const { detail } = answer.json<{ detail: string }>();
    t.match(detail, /^The (chunker|refinery) ".*" is broken: (manifest|its import|it uses)/);
    t.notMatch(detail, /\/tmp/, 'files are named as they stand in the folder of the plugin');
  }
  checkProblem(t, await client.post('/v1/chunk/throwing', body), 404, /nothing at/);
});

t.test('an index that cannot be imported is broken too, and what is only missing is not', async (t) => {
  const other = await pluginsFolder(
    t,
    plugin({ kind: 'chunker', name: 'syntax' }, 'const = 1;'),
    chunker('keyless', WHOLE_TEXT, { needs: { env: ['NO_SUCH_KEY'] } }),
  );
  const client = await startServer(t, { pluginsDir: [other] });
  t.match(await find(client, 'syntax'), { state: 'broken', reason: /cannot be imported: .*index\.js:1/ });
  t.match(await find(client, 'keyless'), { state: 'unavailable', reason: /set the environment variable/ });
});

t.test('--check lists them with file and reason, and exits with 1; --plugins may name one', async (t) => {
  const broken = await pluginsFolder(
    t,
    manifestOf('throwing', 'throw new Error("no luck");'),
    chunker('fine', WHOLE_TEXT),
  );
  await symlink('nowhere', join(broken, 'dangling'));
  const args = ['--check', '--port', '0', '--plugins-dir', broken, '--data-dir', await temporaryFolder(t)];
  const stopped = startProcess(t, args);
  t.equal(await stopped.ended(), 2, 'by default it does not start');
  t.match(stopped.stderr(), /no luck|cannot be read/);
  const tolerant = startProcess(t, [...args, '--tolerate-broken-plugins', '--plugins', 'fine,throwing']);
  t.equal(await tolerant.ended(), 1);
  const lines = tolerant.stdout().split('\n');
  t.ok(lines.includes('  chunker/fine: available'));
  const at = lines.findIndex((line) =>
    /^ {2}unknown\/throwing: broken, .*no luck \(manifest\.js:1\)/.test(line),
  );
  t.equal(lines[at + 1], `    in ${join(broken, 'throwing/manifest.js')}`);
  t.ok(lines.some((line) => /^ {2}unknown\/dangling: broken, .*cannot be read: ENOENT/.test(line)));
});
