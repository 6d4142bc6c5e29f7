import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { describeError } from '../../../../../plugins/sinks/pgvector/database.ts';
import createSink from '../../../../../plugins/sinks/pgvector/index.ts';
import manifest from '../../../../../plugins/sinks/pgvector/manifest.ts';
import { checkSchema } from '../../../../../server/engine/validation/validator.ts';
import { chunkOf } from '../../../../../server/testing/contracts/sink/chunks.ts';
import { noServers } from '../../../../servers/servers.ts';
import { never } from '../../../../support/hosted-host.ts';
import { startPostgres } from '../../../../support/postgres.ts';
import { until } from '../../../../support/until.ts';
import { checkSinkContract, openSink } from '../../sinks.ts';
import { type SinkDatabase, sinkDatabase } from '../database.ts';
import { testTextSearch } from '../text-search.ts';

const skip = { skip: noServers };
const OPTIONS = { table: 'chunks', schema: 'public' };

const postgres = noServers === false ? await startPostgres(t) : undefined;

/** A new database. */
async function fresh(vectors: 'array' | 'vector' = 'vector'): Promise<SinkDatabase> {
  const url = postgres?.freshUrl() ?? '';
  const name = new URL(url).pathname.slice(1);
  await sinkDatabase(url.replace(name, 'postgres'), vectors).run(`create database ${name}`);
  return sinkDatabase(url, vectors);
}

async function start(t: Test, vectors: 'array' | 'vector' = 'vector') {
  const database = await fresh(vectors);
  const open = async (options: object = {}, env = database.env) => {
    const collection = await openSink(createSink, env, { options: { ...OPTIONS, vectors, ...options } });
    t.teardown(() => collection.close());
    return collection;
  };
  return { ...database, open };
}

for (const vectors of ['vector', 'array'] as const) {
  t.test(`it keeps the promises of sinks: ${vectors}`, skip, async (t) => {
    const server = await startPostgres(t);
    const url = server.freshUrl().replace(/[^/]+$/, 'postgres');
    const database = sinkDatabase(url, vectors, () => server.stop());
    const options = (table: string) => ({ ...database.options(table), text_search: vectors === 'vector' });
    t.match(await checkSinkContract('pgvector', { ...database, options }), /histories/);
  });
}

t.test('text search', skip, async (t) => testTextSearch(t, await fresh()));

t.test('a table of vectors is made once, by whoever comes first', skip, async (t) => {
  const { open, run } = await start(t);
  await Promise.all(Array.from({ length: 6 }, () => open()));
  const [columns] = await run(
    `select string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' order by attname) as all
     from pg_attribute where attrelid = 'chunks'::regclass and attnum > 0`,
  );
  t.same(columns, { all: 'document_id text, embedding vector(3), fields jsonb, id uuid, text text' });
  const indexes = await run(`select indexdef from pg_indexes where tablename = 'chunks' order by 1`);
  t.equal(indexes.length, 2, 'of the key and of documents');
});

t.test('names are quoted, and no name can be more than one', skip, async (t) => {
  const { open, run } = await start(t);
  await run('create schema "Archive"');
  const collection = await open({ schema: 'Archive', table: 'Select' });
  await collection.upsert([chunkOf('a')], { signal: never });
  t.same(await run('select document_id from "Archive"."Select"'), [{ document_id: 'a' }]);
  const isValid = checkSchema(manifest.options);
  t.ok(isValid({ table: 'Select' }));
  for (const table of ['a"; drop table b; --', 'a.b', '', 'é', 'a'.repeat(64), "a'b", 'a$b'])
    t.notOk(isValid({ table }), table);
});

t.test('a table that is there needs no right to make one', skip, async (t) => {
  const { open, run, url } = await start(t);
  const searched = { text_search: true, language: 'english' };
  await open(searched);
  await run('drop function chunks_search(text, vector, integer, jsonb)');
  await run(`create role writer login; grant select, insert, update, delete on chunks to writer`);
  const env = { PGVECTOR_URL: url.replace('//chunksmith@', '//writer@') };
  const chunk = chunkOf('a');
  await (await open(searched, env)).upsert([chunk], { signal: never });
  t.match(await run('select id from chunks'), [{ id: chunk.id }]);
  const message = /^PostgreSQL: permission denied for schema public$/;
  await t.rejects(open({ table: 'others' }, env), { expose: true, message });
});

t.test('a table with other columns is refused, and what is in it stays', skip, async (t) => {
  const { open, run } = await start(t);
  await run('create table other (id integer, document_id text)');
  const message = /the column id is integer, but uuid is needed; choose another table/;
  await t.rejects(open({ table: 'other' }), { expose: true, message });
  await open();
  const array = /the column embedding is vector\(3\), but real\[\] is needed/;
  await t.rejects(open({ vectors: 'array' }), { message: array, statusCode: 400 });
});

t.test('where pgvector is missing the error says what to do', skip, async (t) => {
  const { run } = await start(t);
  const refused = run('create extension nothing').catch((error: unknown) => error);
  const { code, message } = (await refused) as { readonly code: string; readonly message: string };
  const said = describeError({ code, message: message.replace('nothing', 'vector') });
  t.equal(said, 'PostgreSQL has no extension pgvector: install it, or choose the option vectors: "array"');
});

const NUL = 'a text with the character NUL is an error that names the chunk; its escape is a text';
t.test(NUL, skip, async (t) => {
  const { open, chunks } = await start(t);
  const collection = await open();
  const inFields = [{ a: ['\\\0'] }, { '\0': 1 }].map((fields) => ({ fields }));
  for (const more of [{ text: '\0' }, { document_id: '\0' }, ...inFields]) {
    const chunk = chunkOf('a', more);
    const message = `PostgreSQL cannot store the character NUL, which the chunk ${chunk.id} contains`;
    await t.rejects(collection.upsert([chunkOf('a'), chunk], { signal: never }), { expose: true, message });
  }
  t.same(await chunks('chunks'), []);
  const text = 'the escapes \\u0000 and \\\\u0000';
  await collection.upsert([chunkOf('a', { text, fields: { text } })], { signal: never });
  t.match(await chunks('chunks'), [{ text, fields: { text } }]);
});

t.test('a server that restarts is waited for', skip, async (t) => {
  const { open, chunks } = await start(t);
  const collection = await open();
  await collection.upsert([chunkOf('a')], { signal: never });
  await postgres?.stop();
  const done = collection.upsert([chunkOf('a')], { signal: never });
  await postgres?.start();
  await done;
  t.equal((await chunks('chunks')).length, 2);
});

t.test('a statement under way ends when nobody waits any more', skip, async (t) => {
  const { open, run } = await start(t);
  const collection = await open();
  const gone = new AbortController();
  const locked = run('begin; lock table chunks; select pg_sleep(0.5); commit');
  await until(async () => (await run("select from pg_locks where mode = 'AccessExclusiveLock'")).length > 0);
  const done = collection.upsert([chunkOf('a')], { signal: gone.signal });
  await until(async () => (await run('select from pg_locks where not granted')).length > 0);
  gone.abort(new Error('gone'));
  await t.rejects(done, { message: 'gone' });
  await locked;
  await collection.deleteMissing('a', [randomUUID()], { signal: never });
});

t.test('a connection that the database ends is replaced, and does not end the process', skip, async (t) => {
  const { open, run, chunks } = await start(t);
  const collection = await open();
  const written = Array.from({ length: 200 }, () => chunkOf('a'));
  const upserts = written.map((chunk) => collection.upsert([chunk], { signal: never }));
  const ended = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
  let endings = 0;
  for (const wait of [5, 30, 60]) {
    await new Promise((done) => setTimeout(done, wait));
    endings += (await run(ended)).length;
  }
  await Promise.all(upserts);
  t.ok(endings > 0);
  t.equal((await chunks('chunks')).length, written.length);
});
