import { join } from 'node:path';
import t from 'tap';
import { createImportCheck } from '../../../server/loader/import-check.ts';
import { loadRegistry } from '../../../server/loader/loader.ts';
import { chunker, plugin, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { startProcess, until } from '../../support/process.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';
import { find } from './listed-plugins.ts';

const BROKEN = plugin({ kind: 'chunker', name: 'broken' }, 'const a = 1;\nconst b = = 2;\n');

t.test('a plugin is available if its factory has been imported, and nothing less', async (t) => {
  const folder = await pluginsFolder(
    t,
    BROKEN,
    chunker('user', WHOLE_TEXT, { uses: ['chunker/broken'] }),
    chunker('user-of-user', WHOLE_TEXT, { uses: ['chunker/user'] }),
    chunker('good', WHOLE_TEXT),
  );
  const client = await startServer(t, { pluginsDir: [folder] });
  t.equal((await client.chunk('good', { text: 'abc' })).length, 1, 'a request does not wait for the check');
  t.equal((await find(client, 'good')).available, true);
  for (const [name, reason] of [
    [
      'broken',
      'it cannot be imported: its import fails with SyntaxError (index.js:2); the log of the server and --check say more',
    ],
    ['user', 'it cannot be imported: it uses chunker/broken, which cannot be imported'],
    ['user-of-user', 'it cannot be imported: it uses chunker/user, which cannot be imported'],
  ] as const) {
    t.match(await find(client, name), { available: false, missing: [reason] });
  }
  const info = (await client.get('/')).json<{ unavailable: { name: string }[] }>();
  t.ok(info.unavailable.some(({ name }) => name === 'broken'));
});

t.test('the log names file and line soon after the start, unasked', async (t) => {
  const folder = await pluginsFolder(t, BROKEN);
  const args = ['--host', '127.0.0.1', '--port', '0', '--plugins-dir', folder];
  const server = startProcess(t, [...args, '--data-dir', await temporaryFolder(t)]);
  const client = await server.listening();
  t.equal((await client.get('/ready')).status, 200, 'the others are ready');
  await until(() => server.stdout().includes('a plugin cannot be imported'));
  const line = server
    .stdout()
    .split('\n')
    .find((one) => one.includes('a plugin cannot be imported')) as string;
  t.match(JSON.parse(line), {
    level: 'error',
    plugin: 'chunker/broken',
    message: "Unexpected token '='",
    place: 'index.js:2',
  });
});

t.test('no import holds up the others, or is left running when the server closes', async (t) => {
  const folder = await pluginsFolder(t, plugin({ kind: 'chunker', name: 'endless' }, 'for (;;);\n'));
  const registry = await loadRegistry({ folders: [folder], only: [], env: {} });
  const check = createImportCheck({ registry });
  const failures = check.failures();
  await check.close();
  t.equal((await failures).size, 0, 'nothing is said of what was not tried to its end');
  t.equal(await check.failures(), await failures, 'checked once');
  t.equal(registry.all[0]?.file, join(folder, 'endless/manifest.js'));
});

t.test(
  'what a plugin says of its files as it is made is logged before any request, and by --check',
  async (t) => {
    const index = `export default ({ log }) => {
  log.warn({ plugin: 'chunker/reader' }, 'names.json: this is not valid JSON');
  return { chunk: (text) => [{ start: 0, end: text.length }] };
};
`;
    const manifest = { kind: 'chunker', name: 'reader', light: true, example: { text: 'abc' } };
    const folder = await pluginsFolder(t, plugin(manifest, index));
    const args = ['--host', '127.0.0.1', '--port', '0', '--store', 'memory', '--plugins-dir', folder];
    const server = startProcess(t, args);
    await server.listening();
    await until(() => server.stdout().includes('names.json: this is not valid JSON'));

    const check = startProcess(t, [...args, '--check', '--plugins', 'reader,character']);
    t.equal(await check.ended(), 0);
    t.match(check.stdout(), /WARN: names\.json: this is not valid JSON$/m);
  },
);
