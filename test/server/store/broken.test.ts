import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import chunksmith from '../../../server/app.ts';
import { StoreOpenError } from '../../../server/store/failures.ts';
import { openOrm } from '../../../server/store/open-database.ts';
import { createDatabase, createPipelineStore } from '../../../server/store/stores.ts';
import { quietLog } from '../../../server/testing/collaborators.ts';
import { checkProblem } from '../../support/problems.ts';
import { type Client, startServer, temporaryFolder } from '../../support/server.ts';
import { until } from '../../support/until.ts';

/** `processes/broken.test.ts` has how a server ends whose store is broken, and full disks. */

const PATH = '/v1/pipelines';

/** Checks that a store cannot be opened, and that one line says why and what to do. */
async function checkOpen(t: Test, dataDir: string, pattern: RegExp): Promise<void> {
  const database = createDatabase({ dataDir, databaseUrl: '' }, quietLog);
  t.teardown(() => database.close());
  const error: unknown = await createPipelineStore(database)
    .open()
    .catch((error) => error);
  t.ok(error instanceof StoreOpenError, String(error));
  t.match(error, { message: pattern });
  t.match(error, { message: ONE_PLAIN_LINE });
}

const ONE_PLAIN_LINE = /^(?!.*(Exception|SQLITE_|node_modules)).*$/;

function add(client: Client, name: string, description = ''): ReturnType<Client['post']> {
  return client.post(PATH, { name, description, steps: [] });
}

t.test('a file or a folder is where the data folder or the database should be', async (t) => {
  const folder = await temporaryFolder(t, { data: 'a file', 'other/chunksmith.db/file': '' });
  const dataDir = join(folder, 'data');
  await checkOpen(t, dataDir, /data\/chunksmith\.db: the data folder is a file.* --data-dir/);
  await checkOpen(t, join(dataDir, 'below'), /a part of its path is a file/);
  await checkOpen(t, join(folder, 'other'), /chunksmith\.db: its file cannot be opened/);
});

t.test('a data folder that cannot be made is one line with the remedies', async (t) => {
  const line = /: the data folder cannot be created there; .*--data-dir, or start with --store memory/;
  for (const dataDir of ['/proc/x', '/proc/x/below']) await checkOpen(t, dataDir, line);
});

t.test('the database is another file', async (t) => {
  const dataDir = await temporaryFolder(t, { 'chunksmith.db': 'These are no pipelines. '.repeat(1000) });
  const before = await readFile(join(dataDir, 'chunksmith.db'));
  await checkOpen(t, dataDir, /not an SQLite database; move it away, or restore it/);
  t.same(await readFile(join(dataDir, 'chunksmith.db')), before, 'it is not touched');
});

t.test('a damaged database is an error, never an empty answer', async (t) => {
  const [dataDir, copy] = [await temporaryFolder(t), await temporaryFolder(t)];
  const database = createDatabase({ dataDir, databaseUrl: '' }, quietLog);
  const store = createPipelineStore(database);
  await store.open();
  for (let index = 0; index < 50; index++) {
    await store.create({ name: `pipeline ${index}`, description: 'x'.repeat(2000), steps: [] });
  }
  await database.close();
  const bytes = await readFile(join(dataDir, 'chunksmith.db'));
  const damage = async (from: number) => {
    await writeFile(join(copy, 'chunksmith.db'), Buffer.from(bytes).fill(0xa5, from));
  };
  await damage(4096);
  await checkOpen(t, copy, /damaged; restore it from a backup/);
  await damage(bytes.length / 2);
  const answer = await (await startServer(t, { dataDir: copy })).get(PATH);
  checkProblem(t, answer, 503, /its file is damaged; restore it from a backup/);
});

for (const [what, statement, name] of [
  ['all records', 'drop table mikro_orm_migrations', '0001-pipelines'],
  ['the last record', "delete from mikro_orm_migrations where name like '%left-out'", '0008-left-out'],
  ['a record in between', "delete from mikro_orm_migrations where name like '0002%'", '0002-bulk-jobs'],
] as const) {
  t.test(`a database that has lost ${what} of its migrations says which, and how to go on`, async (t) => {
    const dataDir = await temporaryFolder(t);
    const orm = await openOrm({ dataDir, databaseUrl: '' }, quietLog);
    const { em } = orm;
    await em.getConnection().execute(statement);
    await orm.close(true);
    const remedy = `insert into mikro_orm_migrations \\(name\\) values \\('${name}'\\)`;
    await checkOpen(t, dataDir, new RegExp(`columns of the migration ${name}, .* backup, .*${remedy}`));
  });
}

/** Locks a database by a connection of its own. @returns a function that releases it */
async function lock(t: Test, dataDir: string, ...statements: string[]) {
  const orm = await openOrm({ dataDir, databaseUrl: '' }, quietLog);
  const release = () => orm.close(true);
  t.teardown(release);
  for (const statement of statements) await orm.em.getConnection().execute(statement);
  return release;
}

t.test('others keep the database locked while the server runs: it waits, and then says so', async (t) => {
  const dataDir = await temporaryFolder(t);
  const client = await startServer(t, { dataDir });
  t.equal((await add(client, 'before')).status, 201);
  const release = await lock(t, dataDir, 'begin immediate');
  const waiting = add(client, 'waiting');
  t.equal((await client.get('/health')).status, 200, 'the server answers meanwhile');
  t.equal((await client.get(PATH)).json<unknown[]>().length, 1, 'reading goes on');
  await release();
  t.equal((await waiting).status, 201, 'a lock that passes is waited for');
  const releaseAgain = await lock(t, dataDir, 'begin immediate');
  const refused = await add(client, 'refused');
  checkProblem(t, refused, 503, /another process keeps it locked; try again/);
  t.match(refused.headers.get('retry-after'), /^\d+$/);
  await releaseAgain();
  t.equal((await add(client, 'refused')).status, 201, 'it was not made before');
});

t.test('others keep the database locked at the start', async (t) => {
  const dataDir = await temporaryFolder(t);
  await lock(t, dataDir, 'pragma locking_mode = exclusive', 'begin exclusive');
  await checkOpen(t, dataDir, /chunksmith\.db: another process keeps it locked/);
});

t.test('the data folder goes while the server runs: no write is said to be kept', async (t) => {
  const folder = await temporaryFolder(t);
  const dataDir = join(folder, 'data');
  const client = await startServer(t, { dataDir });
  const kept = (await add(client, 'before')).json<{ id: string }>();
  await rename(dataDir, join(folder, 'moved'));
  const headers = { 'content-type': 'application/json' };
  const change = { method: 'PUT', headers, body: '{"name":"changed"}' };
  const remedy = /deleted or moved away; put it back, or restart the server/;
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

t.test('mounted in another app, a broken store fails its start', async (t) => {
  const dataDir = join(await temporaryFolder(t, { data: '' }), 'data');
  const host = Fastify();
  t.teardown(() => host.close());
  host.register(chunksmith, { config: { dataDir, workers: 0 } });
  await t.rejects(Promise.resolve(host.ready()), /the data folder is a file/);
});

t.test('built and listening without a start, what needs no store still works', async (t) => {
  const dataDir = join(await temporaryFolder(t, { data: '' }), 'data');
  const client = await startServer(t, { dataDir });
  await until(async () => (await client.get(PATH)).status === 503);
  checkProblem(t, await client.get(PATH), 503, /cannot be used now: it could not be opened/);
  t.equal((await client.post('/v1/chunk/token', { text: 'abc' })).status, 200);
});
