import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { PLUGIN_CONTRACT_VERSION } from '../../../../../core/contracts/manifest.ts';
import { chunker, plugin, pluginsFolder, WHOLE_TEXT } from '../../../../support/plugins.ts';
import { startProcess } from '../../../../support/process.ts';
import { temporaryFolder } from '../../../../support/server.ts';
import { until } from '../../../../support/until.ts';
import { under } from '../open-plugins.ts';

/** What an operator reads of plugins: in the log of a server, and of `--check`. */

const BROKEN = plugin({ kind: 'chunker', name: 'broken' }, 'const a = 1;\nconst b = = 2;\n');
const LATER = chunker('later', WHOLE_TEXT, { version: '2.1.0-beta.1', engine: '>=99' });
const WARNING = new RegExp(
  `written for version >=99 of the plugin contract, but this server has ${PLUGIN_CONTRACT_VERSION}: .*use a matching version`,
);
/** One that says something of its files as it is made. */
const READER = plugin(
  { kind: 'chunker', name: 'reader', light: true, example: { text: 'abc' } },
  `export default ({ log }) => {
    log.warn({ plugin: 'chunker/reader' }, 'names.json: this is not valid JSON');
    return { chunk: (text) => { ${WHOLE_TEXT} } };
  };`,
);
const ARGS = ['--host', '127.0.0.1', '--port', '0', '--store', 'memory'];

t.test(
  'the log says which contract does not fit, and at the first call which plugin cannot be imported, with its folder',
  async (t) => {
    const folder = await pluginsFolder(t, BROKEN, LATER);
    const cwd = await temporaryFolder(t, {
      'node_modules/more/package.json': '{"name": "more", "type": "module", "version": "1.0.0"}',
      ...under('node_modules/more', chunker('packaged', WHOLE_TEXT)),
    });
    const args = [...ARGS, '--workers', '1', '--inline-bytes', '0', '--plugins-from', 'more'];
    const server = startProcess(t, [...args, '--plugins-dir', folder], { cwd });
    const client = await server.listening();
    t.equal((await client.get('/ready')).status, 200, 'the others are ready');
    t.equal(
      (await client.chunk('packaged', { text: 'abc' })).length,
      1,
      'threads have those of packages too',
    );
    t.equal((await client.post('/v1/chunk/broken', { text: 'abc' })).status, 500);
    const err = { stack: /SyntaxError: Unexpected token '='/ };
    for (const [message, line] of [
      [
        'a plugin cannot be created',
        { level: 'error', plugin: 'chunker/broken', folder: join(folder, 'broken'), err },
      ],
      ['another version of the plugin contract', { level: 'warn', plugin: 'chunker/later', reason: WARNING }],
    ] as const) {
      const found = await until(() =>
        server
          .stdout()
          .split('\n')
          .find((one) => one.includes(message)),
      );
      t.match(JSON.parse(found), line);
    }
  },
);

t.test('--check warns of a contract that does not fit, and prints what plugins warn of', async (t) => {
  const folder = await pluginsFolder(t, LATER, READER);
  const args = [...ARGS, '--plugins-dir', folder, '--plugins', 'later,reader,character'];
  const check = startProcess(t, [...args, '--check']);
  t.equal(await check.ended(), 0, 'warnings are no failure');
  t.match(check.stdout(), new RegExp(` {2}chunker/later: available\n {4}warning: .*${WARNING.source}`));
  t.match(check.stdout(), /WARN: names\.json: this is not valid JSON$/m);
});

t.test('--check lists broken plugins with file and reason, and exits with 1', async (t) => {
  const folder = await pluginsFolder(
    t,
    { 'throwing/manifest.js': 'throw new Error("no luck");', 'throwing/index.js': '' },
    chunker('fine', WHOLE_TEXT),
  );
  await symlink('nowhere', join(folder, 'dangling'));
  const args = [...ARGS, '--check', '--plugins-dir', folder];
  const stopped = startProcess(t, args);
  t.equal(await stopped.ended(), 2, 'by default it does not start');
  t.match(stopped.stderr(), /no luck|cannot be read/);
  const tolerant = startProcess(t, [...args, '--tolerate-broken-plugins', '--plugins', 'fine,throwing']);
  t.equal(await tolerant.ended(), 1, 'those that are broken may be named');
  const lines = tolerant.stdout().split('\n');
  t.ok(lines.includes('  chunker/fine: available'));
  const at = lines.findIndex((line) =>
    /^ {2}unknown\/throwing: broken, .*no luck \(manifest\.js:1\)/.test(line),
  );
  t.equal(lines[at + 1], `    in ${join(folder, 'throwing/manifest.js')}`);
  t.ok(lines.some((line) => /^ {2}unknown\/dangling: broken, .*cannot be read: ENOENT/.test(line)));
});
