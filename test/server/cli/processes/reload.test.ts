import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t from 'tap';
import { chunker, pluginsFolder, WHOLE_TEXT } from '../../../support/plugins.ts';
import { freePort, startProcess } from '../../../support/process.ts';
import { until } from '../../../support/until.ts';

const HALVES = 'return [{ start: 0, end: 2 }, { start: 2, end: 4 }];';

t.test('--reload serves plugins that change or are made while it runs, and ends as a whole', async (t) => {
  const folder = await pluginsFolder(t, chunker('changing', WHOLE_TEXT));
  const port = String(await freePort());
  const args = ['--host', '127.0.0.1', '--port', port, '--reload', '--plugins-dir', folder];
  const server = startProcess(t, [...args, '--workers', '0']);
  // Also if the test fails, so that the process that it watches over ends with it.
  t.teardown(() => {
    server.child.kill('SIGTERM');
    return server.ended();
  });
  const client = await server.listening();
  const count = async (name: string) => (await client.chunk(name, { text: 'abcd' }).catch(() => [])).length;
  t.equal(await count('changing'), 1);
  const ofKinds = join(folder, 'chunkers');
  for (const [what, where, name, body, pieces] of [
    ['a change', folder, 'changing', HALVES, 2],
    ['a folder with a plugin', folder, 'made', HALVES, 2],
    ['a folder of a kind with a plugin', ofKinds, 'of-kind', WHOLE_TEXT, 1],
    ['a change in a folder that was made', ofKinds, 'of-kind', HALVES, 2],
  ] as const) {
    await write(where, chunker(name, body));
    t.ok(await until(async () => (await count(name)) === pieces), what);
  }

  const { 'half/index.js': index = '', ...rest } = chunker('half', HALVES);
  await write(folder, rest);
  t.ok(await until(() => server.stderr().includes('restarts when a file changes')), 'half a plugin');
  await write(folder, { 'half/index.js': index });
  t.ok(await until(async () => (await count('half')) === 2), 'and its other half');

  await rm(join(folder, 'made'), { recursive: true });
  const statusOf = async () => (await client.post('/v1/chunk/made', {}).catch(() => undefined))?.status;
  t.ok(await until(async () => (await statusOf()) === 404), 'one that goes');

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
