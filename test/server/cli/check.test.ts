import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Fastify from 'fastify';
import t from 'tap';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { startProcess } from '../../support/process.ts';
import { temporaryFolder } from '../../support/server.ts';

const CHECK = ['--check', '--host', '127.0.0.1', '--store', 'memory', '--plugins', 'token,character'];

t.test('--check tries the port and prints workers and limits', async (t) => {
  const free = startProcess(t, [...CHECK, '--port', '0', '--workers', '3', '--max-body-bytes', '10MiB']);
  t.equal(await free.ended(), 0);
  t.match(free.stdout(), /^ {2}--workers: 3$/m);
  t.match(free.stdout(), /^ {2}--max-body-bytes: 10MiB$/m);
  t.match(free.stdout(), /^ {2}--request-timeout: 300$/m);
  t.match(free.stdout(), /^Address 127\.0\.0\.1:0: free$/m);
  t.match(free.stdout(), /^Store of pipelines \(memory\): works$/m);

  const other = Fastify();
  t.teardown(() => other.close());
  await other.listen({ host: '127.0.0.1', port: 0 });
  const { port } = other.server.address() as AddressInfo;
  const taken = startProcess(t, [...CHECK, '--port', String(port)]);
  t.equal(await taken.ended(), 2);
  t.match(taken.stdout(), new RegExp(`^Address 127\\.0\\.0\\.1:${port}: .* in use; .* --port`, 'm'));
});

t.test("a plugin's address that is no URL stops the start, with and without --check", async (t) => {
  const URLS = ['REMOTE_URL', 'LOCAL_URL', 'BLANK_URL'];
  const folder = await pluginsFolder(t, chunker('remote', WHOLE_TEXT, { urls: URLS }));
  const args = ['--port', '0', '--host', '127.0.0.1', '--plugins-dir', folder];
  const env = { REMOTE_URL: 'not-a-url', LOCAL_URL: 'localhost:11434/v1', BLANK_URL: '' };
  const problems = [
    'LOCAL_URL: expected a URL such as https://host or http://host:8080/path, got "localhost:11434/v1"',
    'REMOTE_URL: expected a URL such as https://host or http://host:8080/path, got "not-a-url"',
  ];
  for (const more of [[], ['--check']]) {
    const server = startProcess(t, [...args, ...more], { env });
    t.equal(await server.ended(), 2);
    t.same(server.stderr().trim().split('\n').sort(), problems);
  }
  const only = startProcess(t, ['--check', ...args, '--plugins', 'token', '--store', 'memory'], { env });
  t.equal(await only.ended(), 0, 'what no plugin reads is not looked at');
});

t.test('what jobs may use is read at the start, and printed without keys', async (t) => {
  const archive = { endpoint: 'https://s3.example', bucket: 'docs', access_key_id: 'hidden' };
  const folder = await temporaryFolder(t, {
    'good.json': JSON.stringify({ archive: { ...archive, secret_access_key: { env: 'ARCHIVE_SECRET' } } }),
    'bad.json': JSON.stringify({ archive: { ...archive, secret_access_kye: 'hidden' } }),
  });
  const env = { ARCHIVE_SECRET: 'hidden', BULK_CALLBACK_SECRET: 'hidden-hidden-hidden' };
  const using = (name: string) => ['--bulk-root', folder, '--bulk-connections', join(folder, name)];
  const good = startProcess(t, [...CHECK, '--port', '0', ...using('good.json')], { env });
  t.equal(await good.ended(), 0);
  t.match(
    good.stdout(),
    `Folder of jobs: ${folder}\nBuckets of jobs: archive (docs at https://s3.example/)\n`,
  );
  t.match(good.stdout(), /^Callbacks of jobs: signed, to public addresses alone$/m);
  t.notMatch(good.stdout() + good.stderr(), /hidden/);
  for (const command of [CHECK, CHECK.slice(1)]) {
    const bad = startProcess(t, [...command, '--port', '0', ...using('bad.json')], { env });
    t.equal(await bad.ended(), 2);
    t.match(
      bad.stderr(),
      /archive\.secret_access_kye: unknown, known are .*\n.*archive\.secret_access_key: expected/,
    );
    t.notMatch(bad.stdout() + bad.stderr(), /hidden/);
  }
});
