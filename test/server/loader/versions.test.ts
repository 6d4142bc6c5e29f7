import t from 'tap';
import { PLUGIN_CONTRACT_VERSION } from '../../../core/contracts/manifest.ts';
import { STAND_INS } from '../../support/here.ts';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { startProcess, until } from '../../support/process.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';
import { find } from './listed-plugins.ts';

const LATER = { version: '2.1.0-beta.1', engine: '>=99' };
const WARNING = new RegExp(
  `written for version >=99 of the plugin contract, and this server has ${PLUGIN_CONTRACT_VERSION}: .*take a version`,
);

t.test('the version of a plugin and the contract that it is written for are shown', async (t) => {
  const folder = await pluginsFolder(
    t,
    chunker('fits', WHOLE_TEXT, { version: '1.2.0', engine: `^${PLUGIN_CONTRACT_VERSION}` }),
    chunker('later', WHOLE_TEXT, LATER),
    chunker('silent', WHOLE_TEXT),
  );
  const client = await startServer(t, { pluginsDir: [folder] });
  const fits = await find(client, 'fits');
  t.match(fits, { version: '1.2.0', engine: '^1.0.0', origin: 'folder', state: 'ready', available: true });
  t.notOk('warning' in fits);
  t.match(await find(client, 'later'), { ...LATER, state: 'ready', warning: WARNING });
  t.equal((await client.chunk('later', { text: 'abc' })).length, 1, 'it is loaded all the same');
  const silent = await find(client, 'silent');
  t.notOk('version' in silent || 'engine' in silent);
  const isBuiltIn = STAND_INS.every((folder) => !folder.endsWith('chunkers'));
  t.equal((await find(client, 'token')).origin, isBuiltIn ? 'builtin' : 'folder');
});

t.test('the log and --check warn of a contract that does not fit', async (t) => {
  const folder = await pluginsFolder(t, chunker('later', WHOLE_TEXT, LATER));
  const args = ['--host', '127.0.0.1', '--port', '0', '--plugins-dir', folder];
  const server = startProcess(t, args, { env: { DATA_DIR: await temporaryFolder(t) } });
  const warned = await until(() =>
    server
      .stdout()
      .split('\n')
      .find((line) => line.includes('another version of the plugin contract')),
  );
  t.match(JSON.parse(warned), { level: 'warn', plugin: 'chunker/later', reason: WARNING });
  const check = startProcess(t, [...args, '--check', '--plugins', 'later'], {
    env: { DATA_DIR: await temporaryFolder(t) },
  });
  t.equal(await check.ended(), 0, 'it is a warning');
  t.match(check.stdout(), new RegExp(` {2}chunker/later: available\n {4}warning: .*${WARNING.source}`));
});
