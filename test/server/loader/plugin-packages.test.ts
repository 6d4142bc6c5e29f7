import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { chunker, plugin, WHOLE_TEXT } from '../../support/plugins.ts';
import { startProcess } from '../../support/process.ts';
import { type Cleanup, temporaryFolder } from '../../support/server.ts';
import type { ListedPlugin } from './listed-plugins.ts';

/** Plugins of npm packages that are named: `--plugins-from`. */

const under = (folder: string, files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([file, text]) => [join(folder, file), text]));
const packageOf = (name: string, files: Record<string, string>) =>
  under(`node_modules/${name}`, {
    'package.json': JSON.stringify({ name, version: '1.0.0', type: 'module', exports: './main.js' }),
    ...files,
  });
const own = (files: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(files).map(([file, text]) => [file.replace(`${name}/`, ''), text]));
const typed = (files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([file, text]) => [file.replace(/js$/, 'ts'), text]));

/** Starts a server in a folder with the files. */
async function start(t: Cleanup, files: Record<string, string>, from: string) {
  const cwd = await temporaryFolder(t, files);
  const args = ['--host', '127.0.0.1', '--port', '0', '--workers', '1', '--plugins-from', from];
  return { cwd, server: startProcess(t, args, { cwd, env: { INLINE_BYTES: '0' } }) };
}

t.test('the plugins of packages are served, however a package holds them', async (t) => {
  const { server } = await start(
    t,
    {
      ...packageOf('plugins-beside', {
        ...chunker('beside', WHOLE_TEXT),
        'test/index.js': '',
        'lib/a/b.js': '',
      }),
      ...packageOf('@acme/kinds', under('chunkers', chunker('of-kind', WHOLE_TEXT))),
      ...packageOf(
        'chunksmith-plugin-alone',
        own(chunker('alone', WHOLE_TEXT, { version: '3.0.0' }), 'alone'),
      ),
      ...packageOf('in-dist', own(chunker('built', WHOLE_TEXT), 'built')),
      ...packageOf('unnamed', chunker('unnamed', WHOLE_TEXT)),
      ...packageOf('both', { ...chunker('both', WHOLE_TEXT), 'both/index.ts': 'const a: number = 1;' }),
    },
    'plugins-beside,@acme/kinds,chunksmith-plugin-alone,in-dist,both',
  );
  const client = await server.listening();
  for (const name of ['beside', 'of-kind', 'alone', 'built', 'both'])
    t.equal((await client.chunk(name, { text: 'abc' })).length, 1, name);
  const list = (await client.get('/v1/plugins')).json<ListedPlugin[]>();
  const ofPackages = list.filter(({ origin }) => origin === 'package').map(({ name }) => name);
  t.same(ofPackages.sort(), ['alone', 'beside', 'both', 'built', 'of-kind'], 'nothing else is looked for');
  t.equal(list.find(({ name }) => name === 'alone')?.version, '3.0.0');
});

t.test('a package that cannot be used stops the start, with the remedy', async (t) => {
  const files = {
    ...packageOf('typed', typed(chunker('typed', WHOLE_TEXT))),
    ...packageOf('without', { 'lib/index.js': '' }),
  };
  for (const [from, message] of [
    [
      '@acme/none',
      /--plugins-from: the package @acme\/none is not installed: run "npm install @acme\/none" in /,
    ],
    [
      'typed',
      /typed\/manifest\.ts: it is TypeScript, and Node strips no types below node_modules: .*JavaScript/,
    ],
    ['without', /the package without has no plugin: neither manifest\.js and index\.js/],
  ] as const) {
    const { server } = await start(t, files, from);
    t.equal(await server.ended(), 2, from);
    t.match(server.stderr(), message);
  }
});

t.test('a package that is linked may be TypeScript, as it is outside of node_modules', async (t) => {
  const source = await temporaryFolder(t, {
    'package.json': '{"name": "linked", "type": "module"}',
    ...typed(
      plugin(
        { kind: 'chunker', name: 'mine' },
        `export default () => ({ chunk: (text) => { ${WHOLE_TEXT} } });`,
      ),
    ),
  });
  const { cwd, server: unlinked } = await start(t, { 'node_modules/a/package.json': '{}' }, 'linked');
  t.equal(await unlinked.ended(), 2);
  await symlink(source, join(cwd, 'node_modules/linked'));
  const args = ['--host', '127.0.0.1', '--port', '0', '--plugins-from', 'linked'];
  const client = await startProcess(t, args, { cwd }).listening();
  t.equal((await client.chunk('mine', { text: 'abc' })).length, 1);
});
