import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import Fastify from 'fastify';
import t from 'tap';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../support/plugins.ts';
import { startProcess, until } from '../../support/process.ts';

const HALVES = 'return [{ start: 0, end: 2 }, { start: 2, end: 4 }];';

t.test('--reload serves plugins that change or are made while it runs, and ends as a whole', async (t) => {
  const folder = await pluginsFolder(t, chunker('changing', WHOLE_TEXT));
  const port = String(await freePort());
  const args = ['--host', '127.0.0.1', '--port', port, '--reload', '--plugins-dir', folder];
  const server = startProcess(t, [...args, '--workers', '0']);
  const client = await server.listening();
  const count = (name: string) =>
    client.chunk(name, { text: 'abcd' }).then(
      ({ length }) => length,
      () => 0,
    );
  t.equal(await count('changing'), 1);

  await write(folder, chunker('changing', HALVES));
  t.ok(await until(async () => (await count('changing')) === 2), 'a change');

  await write(folder, chunker('made', HALVES));
  t.ok(await until(async () => (await count('made')) === 2), 'a folder with a plugin');

  await write(join(folder, 'chunkers'), chunker('of-kind', WHOLE_TEXT));
  t.ok(await until(async () => (await count('of-kind')) === 1), 'a folder of a kind with a plugin');

  await write(join(folder, 'chunkers'), chunker('of-kind', HALVES));
  t.ok(await until(async () => (await count('of-kind')) === 2), 'a change in a folder that was made');

  const { 'half/index.js': index = '', ...rest } = chunker('half', HALVES);
  await write(folder, rest);
  t.ok(await until(() => server.stderr().includes('starts again when a file changes')), 'half a plugin');
  await write(folder, { 'half/index.js': index });
  t.ok(await until(async () => (await count('half')) === 2), 'and its other half');

  await rm(join(folder, 'made'), { recursive: true });
  const gone = () =>
    client.post('/v1/chunk/made', {}).then(
      ({ status }) => status === 404,
      () => false,
    );
  t.ok(await until(gone), 'one that goes');

  server.child.kill('SIGTERM');
  t.equal(await server.ended(), 0);
  t.equal(await count('changing'), 0, 'nothing listens any more');
});

t.test('--reload says which folder there is not', async (t) => {
  const server = startProcess(t, ['--reload', '--plugins-dir', '/no/such/folder']);
  t.equal(await server.ended(), 2);
  t.match(server.stderr(), '--plugins-dir /no/such/folder: there is no such folder');
});

async function write(folder: string, files: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
}

async function freePort(): Promise<number> {
  const app = Fastify();
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  await app.close();
  return port;
}
