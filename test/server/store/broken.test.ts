import { spawnSync } from 'node:child_process';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import chunksmith from '../../../server/app.ts';
import { lockFile } from '../../support/locker.ts';
import { checkProblem } from '../../support/problems.ts';
import { startProcess, until } from '../../support/process.ts';
import { type Cleanup, type Client, startServer, temporaryFolder } from '../../support/server.ts';

const LOCAL = ['--host', '127.0.0.1', '--port', '0', '--workers', '0', '--plugins', 'token,character'];
const PATH = '/v1/pipelines';

/** Starts a server whose store is broken: it ends with code 2 and says in one line why and what to do. */
async function checkStart(
  t: Test,
  place: { dataDir?: string; databaseUrl?: string },
  patterns: readonly RegExp[],
): Promise<void> {
  const { dataDir = await temporaryFolder(t), databaseUrl = '' } = place;
  const server = startProcess(t, [...LOCAL, '--data-dir', dataDir], { env: { DATABASE_URL: databaseUrl } });
  t.equal(await server.ended(), 2, 'it ends with code 2');
  const said = server.stderr();
  t.equal(said.trim().split('\n').length, 1, said);
  for (const pattern of patterns) t.match(said, pattern);
  t.notMatch(said, /\n\s+at |Exception|SQLITE_|node_modules/);
}

function add(client: Client, name: string, description = ''): ReturnType<Client['post']> {
  return client.post(PATH, { name, description, steps: [] });
}

/** A small disk; undefined if this user may not mount one. */
async function smallDisk(t: Cleanup): Promise<string | undefined> {
  const folder = await temporaryFolder(t);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status !== 0) return undefined;
  t.teardown(() => spawnSync('umount', [folder]));
  return folder;
}

/** Fills a disk to the last byte, and returns a function that frees it. */
async function fill(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'filler');
  const file = await open(path, 'w');
  for (let size = 65_536; size >= 1; ) {
    const written = await file.write(Buffer.alloc(size)).catch(() => undefined);
    if (written === undefined || written.bytesWritten < size) size = Math.floor(size / 2);
  }
  await file.close();
  return () => rm(path);
}

t.test('a file is where the data folder should be, or above it', async (t) => {
  const folder = await temporaryFolder(t, { data: 'a file' });
  const dataDir = join(folder, 'data');
  await checkStart(t, { dataDir }, [/data\/chunksmith\.db: there is a file where .* --data-dir/]);
  await checkStart(t, { dataDir: join(dataDir, 'below') }, [/a part of its path is a file/]);
});

t.test('a folder is where the database should be', async (t) => {
  const dataDir = await temporaryFolder(t);
  await mkdir(join(dataDir, 'chunksmith.db'));
  await checkStart(t, { dataDir }, [/chunksmith\.db: its file cannot be opened/]);
});

t.test('the database is another file', async (t) => {
  const dataDir = await temporaryFolder(t, { 'chunksmith.db': 'These are no pipelines. '.repeat(1000) });
  const before = await readFile(join(dataDir, 'chunksmith.db'));
  await checkStart(t, { dataDir }, [/not an SQLite database; move it away, or restore it/]);
  t.same(await readFile(join(dataDir, 'chunksmith.db')), before, 'it is not touched');
});

t.test('a damaged database is an error, never an empty answer', async (t) => {
  const dataDir = await temporaryFolder(t);
  const server = startProcess(t, [...LOCAL, '--data-dir', dataDir]);
  const first = await server.listening();
  for (let index = 0; index < 50; index++) await add(first, `pipeline ${index}`, 'x'.repeat(2000));
  server.child.kill('SIGTERM');
  t.equal(await server.ended(), 0);
  const path = join(dataDir, 'chunksmith.db');
  const bytes = await readFile(path);
  const copy = await temporaryFolder(t);
  await writeFile(
    join(copy, 'chunksmith.db'),
    Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 0xa5)]),
  );
  await checkStart(t, { dataDir: copy }, [/damaged; restore it from a backup/]);
  const half = Buffer.concat([bytes.subarray(0, bytes.length / 2), Buffer.alloc(bytes.length / 2, 0xa5)]);
  await writeFile(join(copy, 'chunksmith.db'), half);
  const client = await startServer(t, { dataDir: copy });
  checkProblem(t, await client.get(PATH), 503, /its file is damaged; restore it from a backup/);
});

t.test('another process keeps the database locked', async (t) => {
  const dataDir = await temporaryFolder(t);
  const client = await startServer(t, { dataDir });
  t.equal((await add(client, 'before')).status, 201);

  await t.test('while the server runs: it waits, and then says so', async (t) => {
    const path = join(dataDir, 'chunksmith.db');
    const release = await lockFile(t, path, 'begin immediate');
    const waiting = add(client, 'waiting');
    t.equal((await client.get('/health')).status, 200, 'the server answers meanwhile');
    t.equal((await client.get(PATH)).json<unknown[]>().length, 1, 'reading goes on');
    await release();
    t.equal((await waiting).status, 201, 'a lock that passes is waited for');
    const releaseAgain = await lockFile(t, path, 'begin immediate');
    const refused = await add(client, 'refused');
    checkProblem(t, refused, 503, /another process keeps it locked; try again/);
    t.match(refused.headers.get('retry-after'), /^\d+$/);
    await releaseAgain();
    t.equal((await add(client, 'refused')).status, 201, 'it was not made before');
  });

  await t.test('at the start', async (t) => {
    const own = await temporaryFolder(t);
    const lock = 'pragma locking_mode = exclusive; begin exclusive';
    await lockFile(t, join(own, 'chunksmith.db'), lock);
    await checkStart(t, { dataDir: own }, [/chunksmith\.db: another process keeps it locked/]);
  });
});

t.test('the data folder goes while the server runs: no write is said to be kept', async (t) => {
  const folder = await temporaryFolder(t);
  const dataDir = join(folder, 'data');
  const client = await startServer(t, { dataDir });
  const kept = (await add(client, 'before')).json<{ id: string }>();
  await rename(dataDir, join(folder, 'moved'));
  const headers = { 'content-type': 'application/json' };
  const change = { method: 'PUT', headers, body: JSON.stringify({ name: 'changed' }) };
  const remedy = /deleted or moved away; put it back, or start the server again/;
  checkProblem(t, await add(client, 'after'), 503, remedy);
  checkProblem(t, await client.send(`${PATH}/${kept.id}`, change), 503, remedy);
  checkProblem(t, await client.send(`${PATH}/${kept.id}`, { method: 'DELETE' }), 503, remedy);
  t.equal((await client.get('/ready')).status, 503);
  t.equal((await client.get('/health')).status, 200);
  t.equal((await client.post('/v1/chunk/token', { text: 'abc' })).status, 200);
  await rename(join(folder, 'moved'), dataDir);
  t.equal((await client.get('/ready')).status, 200);
  t.equal((await add(client, 'back again')).status, 201);
  await rm(dataDir, { recursive: true });
  checkProblem(t, await add(client, 'deleted'), 503, remedy);
});

const noDisk = (await smallDisk(t)) === undefined ? 'this user may not mount a small disk' : false;

t.test('the disk is full', { skip: noDisk }, async (t) => {
  const disk = (await smallDisk(t)) as string;

  await t.test('while the server runs: nothing that was answered is lost', async (t) => {
    const dataDir = join(disk, 'data');
    const client = await startServer(t, { dataDir });
    const kept: string[] = [];
    for (let index = 0; index < 1000; index++) {
      const answer = await add(client, `pipeline ${index}`, 'x'.repeat(20_000));
      if (answer.status === 201) kept.unshift(`pipeline ${index}`);
      else {
        checkProblem(t, answer, 503, /the disk (is full; free some space|fails to read or write)/);
        break;
      }
    }
    t.ok(kept.length > 1 && kept.length < 1000, `${kept.length} fitted`);
    const names = async (from: Client) =>
      (await from.get(PATH)).json<{ name: string }[]>().map(({ name }) => name);
    t.same(await names(client), kept, 'reading goes on');
    const copy = await temporaryFolder(t);
    for (const file of ['chunksmith.db', 'chunksmith.db-wal']) {
      await writeFile(join(copy, file), await readFile(join(dataDir, file)));
    }
    t.same(await names(await startServer(t, { dataDir: copy })), kept, 'all of it is on the disk');
    spawnSync('mount', ['-o', 'remount,size=8m', disk]);
    t.equal((await add(client, 'with space again')).status, 201);
  });

  await t.test('at the start', async (t) => {
    await rm(join(disk, 'data'), { recursive: true, force: true });
    spawnSync('mount', ['-o', 'remount,size=1m', disk]);
    const free = await fill(disk);
    await checkStart(t, { dataDir: join(disk, 'data') }, [
      /the disk (is full; free some space|fails to read or write)/,
    ]);
    await free();
  });
});

t.test('a wrong DATABASE_URL', async (t) => {
  const example = /DATABASE_URL: expected a URL such as postgresql:\/\/user:password@host/;
  for (const databaseUrl of ['chunks', 'http://user:secret@127.0.0.1/chunks']) {
    await checkStart(t, { databaseUrl }, [example, /^(?!.*secret)/]);
  }
  for (const databaseUrl of ['sqlite:////tmp/secret.db', 'sqlite+aiosqlite://user:secret@host/x.db']) {
    await checkStart(t, { databaseUrl }, [/^DATABASE_URL: .* and set DATA_DIR=/, /^(?!.*secret)/]);
  }
  const nobody = 'postgresql://user:secret@127.0.0.1:1/chunks';
  await checkStart(t, { databaseUrl: nobody }, [
    /PostgreSQL at 127\.0\.0\.1:1\/chunks: the database does not answer; check that it runs/,
    /^(?!.*secret)/,
  ]);
});

t.test('mounted in another app, a broken store fails its start', async (t) => {
  const dataDir = join(await temporaryFolder(t, { data: '' }), 'data');
  const host = Fastify();
  t.teardown(() => host.close());
  host.register(chunksmith, { config: { dataDir, workers: 0 } });
  await t.rejects(Promise.resolve(host.ready()), /there is a file where the data folder should be/);
});

t.test('built and listening without a start, what needs no store still works', async (t) => {
  const dataDir = join(await temporaryFolder(t, { data: '' }), 'data');
  const client = await startServer(t, { dataDir });
  await until(async () => (await client.get(PATH)).status === 503);
  checkProblem(t, await client.get(PATH), 503, /cannot be used now: it could not be opened/);
  t.equal((await client.post('/v1/chunk/token', { text: 'abc' })).status, 200);
});
