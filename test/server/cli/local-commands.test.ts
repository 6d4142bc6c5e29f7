import t from 'tap';
import { runCli } from '../../support/cli.ts';
import { chunker, WHOLE_TEXT } from '../../support/plugins.ts';
import { temporaryFolder } from '../../support/server.ts';

const cwd = await temporaryFolder(t);
const run = (...args: string[]) => runCli(t, args, { cwd });

t.test('models lists what requests can name', async (t) => {
  const { tokenizers } = JSON.parse((await run('models', '--json')).stdout);
  t.match(
    tokenizers.find((one: { name: string }) => one.name === 'character'),
    { available: true, missing: [] },
  );
  t.match(
    (await run('models')).stdout,
    /^EMBEDDING MODEL .*[\s\S]*\n\nTOKENIZER .*[\s\S]*\ncharacter +character\n/,
  );
});

t.test('plugins lists what is here, with further folders', async (t) => {
  const folder = await temporaryFolder(t, {
    ...chunker('mine', WHOLE_TEXT, { version: '1.2.3', summary: 'Mine.' }),
    ...chunker('lacks', WHOLE_TEXT, { needs: { env: ['NOT_SET'] } }),
  });
  const listed = await run('plugins', '--plugins-dir', folder, '--json');
  const mine = JSON.parse(listed.stdout).find((one: { name: string }) => one.name === 'mine');
  t.match(mine, { kind: 'chunker', state: 'ready', version: '1.2.3', origin: 'folder' });
  const { stdout } = await run('plugins', '--plugins-dir', folder);
  t.match(stdout, /\nchunker\/mine +1\.2\.3 +ready +Mine\.\n/);
  t.match(stdout, /\nchunker\/lacks +unavailable +.*NOT_SET/);
});

t.test('serve and check take the flags of the server', async (t) => {
  t.match(await run('serve', '--help'), { status: 0, stdout: /--request-timeout/ });
  t.match(await run('serve', '--prot', '1'), { status: 2, stderr: /did you mean --port\?/ });
  const checked = await run('check', '--port', '0', '--store', 'memory', '--plugins', 'token,character');
  t.match(checked, { status: 0, stdout: /^Plugins:\n {2}chunker\/token: available\n/ });
  t.match(await run('srve'), { status: 2, stderr: /Did you mean serve\?/ });
});

t.test('shells complete commands and flags', async (t) => {
  t.match((await run('complete', 'bash')).stdout, /^# bash completion for chunksmith/);
  t.match((await run('complete', '--', 'pip')).stdout, /^pipelines\t/);
  t.match((await run('complete', '--', 'serve', '--request-t')).stdout, /^--request-timeout\t/);
});
