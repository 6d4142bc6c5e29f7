import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import createSink from '../../../../plugins/sinks/pgvector/index.ts';
import manifest from '../../../../plugins/sinks/pgvector/manifest.ts';
import { chunkOf } from '../../../../server/testing/contracts/sink/chunks.ts';
import { checkSinkWith } from '../../../../server/testing/contracts/sink/contract.ts';
import { checkSchema } from '../../../../server/validation/validator.ts';
import { never } from '../../../support/hosted-host.ts';
import { noPostgres, startPostgres } from '../../../support/postgres.ts';
import { composeQuietly } from '../../../support/service.ts';
import { openSink } from '../../../support/sinks.ts';
import { setVariables } from '../../../support/variables.ts';
import { openWorkbench } from '../../../support/workbench.ts';
import { openDatabase, startDatabase } from './stand-in.ts';

const skip = { skip: noPostgres };
const OPTIONS = { table: 'chunks', schema: 'public', vectors: 'array' };

const postgres = noPostgres === false ? await startPostgres(t) : undefined;

async function start(t: Test, vectors: 'array' | 'vector' = 'array') {
  if (postgres === undefined) throw new Error('there is no PostgreSQL');
  const standIn = await openDatabase(postgres, vectors);
  const open = async (options: object = {}, dimensions: number | undefined = 3, env = standIn.env) => {
    const target = { options: { ...OPTIONS, vectors, ...options }, dimensions };
    const collection = await openSink(createSink, env, target);
    t.teardown(() => collection.close());
    return collection;
  };
  return { ...standIn, open };
}

t.test('it keeps the promises of sinks with a type like that of pgvector', skip, async (t) => {
  const bench = await openWorkbench({ plugins: ['pgvector'] });
  const [entry] = bench.plugins('sink');
  const standIn = await startDatabase('vector');
  if (entry === undefined || typeof standIn === 'string') return t.fail('it is not found');
  t.match(await checkSinkWith(bench, entry, standIn), /histories/);
});

t.test('a table of vectors is made once, by whoever comes first', skip, async (t) => {
  const { open, run } = await start(t, 'vector');
  await Promise.all(Array.from({ length: 6 }, () => open()));
  const columns = await run(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = 'chunks'::regclass and attnum > 0 order by attname`,
  );
  t.same(columns, [
    { name: 'document_id', type: 'text' },
    { name: 'embedding', type: 'vector(3)' },
    { name: 'fields', type: 'jsonb' },
    { name: 'id', type: 'uuid' },
    { name: 'text', type: 'text' },
  ]);
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
  await open();
  await run(`create role writer login; grant select, insert, update, delete on chunks to writer`);
  const env = { PGVECTOR_URL: url.replace('//chunksmith@', '//writer@') };
  const chunk = chunkOf('a');
  await (await open({}, 3, env)).upsert([chunk], { signal: never });
  t.match(await run('select id from chunks'), [{ id: chunk.id }]);
  const message = /^PostgreSQL: permission denied for schema public$/;
  await t.rejects(open({ table: 'others' }, 3, env), { expose: true, message });
});

t.test('a table with other columns is refused, and what is in it stays', skip, async (t) => {
  const { open, run } = await start(t);
  await run('create table other (id integer, document_id text)');
  const message = /the column id is integer, but uuid is needed; choose another table/;
  await t.rejects(open({ table: 'other' }), { expose: true, message });
  await open();
  const other = /the column embedding is real\[\], but vector\(3\) is needed/;
  await t.rejects(open({ vectors: 'vector' }), { message: other });
});

t.test('where pgvector is missing the error says what to do', skip, async (t) => {
  const { open, run } = await start(t);
  const [{ count }] = (await run(
    "select count(*)::int from pg_available_extensions where name = 'vector'",
  )) as [{ count: number }];
  if (count > 0) return t.pass('it is here');
  const message = 'PostgreSQL has no extension pgvector: install it, or choose the option vectors: "array"';
  await t.rejects(open({ vectors: 'vector' }), { expose: true, message });
});

t.test(
  'a text with the character NUL is an error that names the chunk; its escape is a text',
  skip,
  async (t) => {
    const { open, chunks } = await start(t);
    const collection = await open();
    for (const more of [
      { text: '\0' },
      { document_id: '\0' },
      { fields: { a: ['\\\0'] } },
      { fields: { '\0': 1 } },
    ]) {
      const chunk = chunkOf('a', more);
      const message = `PostgreSQL cannot store the character NUL, which the chunk ${chunk.id} has`;
      await t.rejects(collection.upsert([chunkOf('a'), chunk], { signal: never }), { expose: true, message });
    }
    t.same(await chunks('chunks'), []);
    const text = 'the escapes \\u0000 and \\\\u0000';
    await collection.upsert([chunkOf('a', { text, fields: { text } })], { signal: never });
    t.match(await chunks('chunks'), [{ text, fields: { text } }]);
  },
);

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

t.test('it needs its address, and no password is in what callers read', async (t) => {
  setVariables(t, { PGVECTOR_URL: undefined });
  const { registry } = await composeQuietly();
  const message = /"pgvector" cannot run here: set the environment variable PGVECTOR_URL/;
  t.throws(() => registry.require('sink', 'pgvector'), { status: 500, message });
  const target = { options: OPTIONS, dimensions: 3 };
  for (const url of ['postgresql://user:very-secret@127.0.0.1:1/db', 'very-secret://a b:c']) {
    const error = await openSink(createSink, { PGVECTOR_URL: url }, target).catch((reason: Error) => reason);
    t.match(error, { expose: true, message: /^PostgreSQL cannot be reached: .*; check PGVECTOR_URL$/ });
    t.notMatch(String(error), 'very-secret');
  }
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((turn) => setImmediate(turn));
}
