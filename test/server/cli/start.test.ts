import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import { describeOptions } from '../../../server/config/help.ts';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { startProcess } from '../../support/process.ts';

const ROOT = join(import.meta.dirname, '../../..');
const STACK = /\n\s+at /;

/** A start that must fail with code 2 and a message in plain words. */
async function checkFailure(t: Test, args: string[], messages: RegExp[], env: Record<string, string> = {}) {
  const server = startProcess(t, args, { env });
  t.equal(await server.ended(), 2);
  for (const message of messages) t.match(server.stderr(), message);
  t.notMatch(server.stderr(), STACK);
}

t.test('a start that fails says why', async (t) => {
  t.jobs = 3;
  t.test('a port in use', { buffered: true }, async (t) => {
    const other = Fastify();
    t.teardown(() => other.close());
    await other.listen({ host: '127.0.0.1', port: 0 });
    const { port } = other.server.address() as AddressInfo;
    const message = new RegExp(`^.*127\\.0\\.0\\.1:${port}.* in use.*--port`, 'i');
    await checkFailure(t, ['--host', '127.0.0.1', '--port', String(port)], [message]);
  });
  t.test('a host that is not of this machine', { buffered: true }, async (t) => {
    await checkFailure(t, ['--host', '192.0.2.1', '--port', '0'], [/192\.0\.2\.1.*--host/]);
    await checkFailure(
      t,
      ['--host', 'no-such-host.invalid', '--port', '0'],
      [/no-such-host\.invalid.*--host/],
    );
  });
  t.test('options that are wrong, all of them', { buffered: true }, async (t) => {
    await checkFailure(
      t,
      ['--port=x', '--prot=1'],
      [/^--port: expected/m, /^--prot: unknown flag, did you mean --port\?$/m, /^LOG_LEVEL: /m],
      {
        LOG_LEVEL: 'loud',
      },
    );
  });
  t.test('a malformed plugin', { buffered: true }, async (t) => {
    const folder = await pluginsFolder(t, chunker('bad', WHOLE_TEXT, { kind: 'chunkr' }));
    await checkFailure(t, ['--plugins-dir', folder], [/bad\/manifest\.js: manifest\.kind: expected one of/]);
  });
  t.test('an unknown plugin', { buffered: true }, async (t) => {
    await checkFailure(t, ['--plugins', 'token,charactr'], [/"charactr".*tokenizer\/character/]);
  });
});

t.test('--help and --version print and end', async (t) => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const help = startProcess(t, ['--help', '--port=wrong']);
  const short = startProcess(t, ['--version']);
  t.equal(await help.ended(), 0);
  for (const { flag, variable } of describeOptions()) t.ok(help.stdout().includes(flag || variable));
  t.equal(await short.ended(), 0);
  t.equal(short.stdout(), `${version}\n`);
});
