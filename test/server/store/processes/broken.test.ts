import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { checkProblem } from '../../../support/problems.ts';
import { startProcess } from '../../../support/process.ts';
import { type Client, startServer, temporaryFolder } from '../../../support/server.ts';
import { mountSmallDisk } from '../../../support/small-disk.ts';

const LOCAL = ['--host', '127.0.0.1', '--port', '0', '--workers', '0', '--plugins', 'token,character'];
const PATH = '/v1/pipelines';
const FULL = /the disk (is full; free some space|fails to read or write)/;

/** Starts a server whose store is broken: it ends with code 2 and says in one line why and what to do. */
async function checkStart(t: Test, dataDir: string, pattern: RegExp): Promise<void> {
  const server = startProcess(t, [...LOCAL, '--data-dir', dataDir]);
  t.equal(await server.ended(), 2, 'it ends with code 2');
  const said = server.stderr();
  t.equal(said.trim().split('\n').length, 1, said);
  t.match(said, pattern);
  t.notMatch(said, /\n\s+at |Exception|SQLITE_|node_modules/);
}

t.test('a server whose store is broken ends with code 2', async (t) => {
  const dataDir = join(await temporaryFolder(t, { data: 'a file' }), 'data');
  await checkStart(t, dataDir, /data\/chunksmith\.db: the data folder is a file.* --data-dir/);
});

const folder = await temporaryFolder(t);
const disk = mountSmallDisk(t, folder, '1m');
const skip = disk === undefined && 'this user may not mount a small disk';

t.test('the disk is full', { skip }, async (t) => {
  await t.test('while the server runs: nothing that was answered is lost', async (t) => {
    const dataDir = join(folder, 'data');
    const client = await startServer(t, { dataDir });
    const add = (name: string) => client.post(PATH, { name, description: 'x'.repeat(20_000), steps: [] });
    const kept: string[] = [];
    let answer = await add('pipeline 0');
    for (; answer.status === 201; answer = await add(`pipeline ${kept.length}`))
      kept.unshift(`pipeline ${kept.length}`);
    checkProblem(t, answer, 503, FULL);
    t.ok(kept.length > 1, `${kept.length} fitted`);
    const names = async (from: Client) =>
      (await from.get(PATH)).json<{ name: string }[]>().map(({ name }) => name);
    t.same(await names(client), kept, 'reading goes on');
    const copy = await temporaryFolder(t);
    for (const file of ['chunksmith.db', 'chunksmith.db-wal']) {
      await writeFile(join(copy, file), await readFile(join(dataDir, file)));
    }
    t.same(await names(await startServer(t, { dataDir: copy })), kept, 'all of it is on the disk');
    disk?.resize('8m');
    t.equal((await add('with space again')).status, 201);
  });

  await t.test('at the start', async (t) => {
    await rm(join(folder, 'data'), { recursive: true, force: true });
    disk?.resize('1m');
    await disk?.fill();
    await checkStart(t, join(folder, 'data'), FULL);
  });
});
