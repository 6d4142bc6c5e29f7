import { rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { chunker, plugin, pluginsFolder, WHOLE_TEXT } from '../../../support/plugins.ts';
import { checkProblem } from '../../../support/problems.ts';
import { type Cleanup, temporaryFolder } from '../../../support/server.ts';
import { openPlugins, under } from './open-plugins.ts';

/** A package of the checkout, which no folder elsewhere sees. */
const OURS = 'fastest-levenshtein';

const sections = (name: string) =>
  plugin(
    { kind: 'chunker', name, needs: { packages: [name] } },
    `import end from '${name}';
    export default () => ({ chunk: (text) => [{ start: 0, end: end(text) }] });`,
  );

const packageFiles = (folder: string, name: string) => ({
  [`${folder}/node_modules/${name}/package.json`]: `{"name": "${name}", "type": "module", "exports": "./main.js"}`,
  [`${folder}/node_modules/${name}/main.js`]: 'export default (text) => text.length;',
});

t.test('a package is found where the import of the plugin finds it, and nowhere else', async (t) => {
  const packages = [packageFiles('beside', 'beside'), packageFiles('.', 'above')];
  const folder = await pluginsFolder(t, ...['beside', 'above', OURS].map(sections), ...packages);
  const { find, chunk, post } = await openPlugins(t, { pluginsDir: [folder] });
  for (const name of ['beside', 'above']) {
    t.equal(find(name).available, true, name);
    t.equal((await chunk(name, { text: 'abc' })).length, 1, name);
  }
  const remedy = `a package is not installed: run "npm install ${OURS}" in the plugin's folder and restart the server`;
  t.same(find(OURS).missing, [remedy]);
  checkProblem(t, await post(`/v1/chunk/${OURS}`, { text: 'a' }), 500, /cannot run here: a package is not/);
});

t.test('of a plugin that is linked, packages are looked for where the link leads', async (t) => {
  const elsewhere = await pluginsFolder(t, sections('linked'));
  const folder = await temporaryFolder(t, { ...packageFiles('.', 'linked'), 'notes/a.txt': '' });
  await symlink(join(elsewhere, 'linked'), join(folder, 'linked'));
  t.equal((await openPlugins(t, { pluginsDir: [folder] })).find('linked').available, false);
  await rename(join(folder, 'node_modules'), join(elsewhere, 'node_modules'));
  const { find, chunk } = await openPlugins(t, { pluginsDir: [folder] });
  t.equal(find('linked').available, true);
  t.equal((await chunk('linked', { text: 'abc' })).length, 1);
});

const packageOf = (name: string, files: Record<string, string>) =>
  under(`node_modules/${name}`, {
    'package.json': JSON.stringify({ name, version: '1.0.0', type: 'module', exports: './main.js' }),
    ...files,
  });
/** The files of a plugin that is a package itself. */
const own = (name: string, manifest: object = {}) =>
  renamed(chunker(name, WHOLE_TEXT, manifest), `${name}/`, '');
const typed = (name: string) => renamed(chunker(name, WHOLE_TEXT), /js$/, 'ts');

function renamed(files: Record<string, string>, from: string | RegExp, to: string): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([file, text]) => [file.replace(from, to), text]));
}

/** Works in a folder with these files until the test ends: packages are looked for from there. */
async function enter(t: Cleanup, files: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder(t, files);
  const before = process.cwd();
  t.teardown(() => process.chdir(before));
  process.chdir(folder);
  return folder;
}

t.test('the plugins of packages are served, however a package holds them', async (t) => {
  await enter(t, {
    ...packageOf('plugins-beside', {
      ...chunker('beside', WHOLE_TEXT),
      'test/index.js': '',
      'lib/a/b.js': '',
    }),
    ...packageOf('@acme/kinds', under('chunkers', chunker('of-kind', WHOLE_TEXT))),
    ...packageOf('chunksmith-plugin-alone', own('alone', { version: '3.0.0' })),
    ...packageOf('in-dist', own('built')),
    ...packageOf('unnamed', chunker('unnamed', WHOLE_TEXT)),
    ...packageOf('both', { ...chunker('both', WHOLE_TEXT), 'both/index.ts': 'const a: number = 1;' }),
  });
  const pluginsFrom = ['plugins-beside', '@acme/kinds', 'chunksmith-plugin-alone', 'in-dist', 'both'];
  const { chunk, find, registry } = await openPlugins(t, { pluginsFrom });
  for (const name of ['beside', 'of-kind', 'alone', 'built', 'both'])
    t.equal((await chunk(name, { text: 'abc' })).length, 1, name);
  const ofPackages = registry.all.filter(({ origin }) => origin === 'package');
  const names = ofPackages.map(({ manifest }) => manifest.name);
  t.same(names.sort(), ['alone', 'beside', 'both', 'built', 'of-kind'], 'nothing else is looked for');
  t.equal(find('alone').version, '3.0.0');
});

t.test('a package that cannot be used stops the start, with the remedy', async (t) => {
  await enter(t, {
    ...packageOf('typed', typed('typed')),
    ...packageOf('without', { 'lib/index.js': '' }),
  });
  for (const [from, message] of [
    ['@acme/none', /the package @acme\/none is not installed: run "npm install @acme\/none" in /],
    ['typed', /typed\/manifest\.ts: it is TypeScript, and Node strips no types below node_modules: .*Java/],
    ['without', /the package without has no plugin: neither manifest\.js and index\.js/],
  ] as const)
    await t.rejects(openPlugins(t, { pluginsFrom: [from] }), { message }, from);
});

t.test('a package that is linked may be TypeScript, as it is outside of node_modules', async (t) => {
  const source = await temporaryFolder(t, {
    'package.json': '{"name": "linked", "type": "module"}',
    ...typed('mine'),
  });
  const folder = await enter(t, { 'node_modules/a/package.json': '{}' });
  await t.rejects(openPlugins(t, { pluginsFrom: ['linked'] }), { code: 'missing_plugin_package' });
  await symlink(source, join(folder, 'node_modules/linked'));
  const { chunk } = await openPlugins(t, { pluginsFrom: ['linked'] });
  t.equal((await chunk('mine', { text: 'abc' })).length, 1);
});
