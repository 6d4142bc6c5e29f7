import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import createSink from '../../../../plugins/sinks/chroma/index.ts';
import { chunkOf } from '../../../../server/testing/contracts/sink/chunks.ts';
import { never } from '../../../support/hosted-host.ts';
import { endsMidway, openSink, testAddress } from '../../../support/sinks.ts';
import startChroma from './stand-in.ts';

const OPTIONS = { collection: 'chunks', tenant: 'default_tenant', database: 'default_database' };

async function start(t: Test, env: Readonly<Record<string, string>> = {}) {
  const standIn = await startChroma();
  t.teardown(standIn.stop);
  const open = (options: object = {}, dimensions: number | undefined = 3) =>
    openSink(createSink, { ...standIn.env, ...env }, { options: { ...OPTIONS, ...options }, dimensions });
  return { ...standIn, open };
}

t.test('a collection is made for cosines', async (t) => {
  const { api, open } = await start(t);
  await open();
  const path = '/api/v2/tenants/default_tenant/databases/default_database/collections';
  t.match(api.calls, [{ method: 'POST', path }]);
  t.same(api.calls[0]?.body, {
    name: 'chunks',
    get_or_create: true,
    configuration: { hnsw: { space: 'cosine' } },
  });
});

t.test('metadata is flat: lists and objects are JSON, and there is no null', async (t) => {
  const { chroma, open } = await start(t);
  const fields = {
    start_index: 5,
    metadata: { tags: ['a'] },
    headings: ['A'],
    title: null,
    score: 0.5,
    last: true,
  };
  const chunk = chunkOf('a.md', { fields });
  await (await open()).upsert([chunk], { signal: never });
  t.same(chroma.collections.get('chunks')?.records.get(chunk.id)?.metadata, {
    document_id: 'a.md',
    start_index: 5,
    metadata: '{"tags":["a"]}',
    headings: '["A"]',
    score: 0.5,
    last: true,
  });
});

t.test('what a chunk no longer has is taken away, since Chroma merges', async (t) => {
  const { chroma, open } = await start(t);
  const collection = await open();
  const chunk = chunkOf('a.md', { fields: { first: 1, second: 2 } });
  await collection.upsert([chunk], { signal: never });
  await collection.upsert([{ ...chunk, fields: { second: 3 } }], { signal: never });
  const { metadata } = chroma.collections.get('chunks')?.records.get(chunk.id) ?? {};
  t.same(metadata, { document_id: 'a.md', second: 3 });
});

t.test('calls have no more records than Chroma Cloud takes', async (t) => {
  const { api, open, chunks } = await start(t);
  const collection = await open();
  const long = Array.from({ length: 1000 }, () => chunkOf('long'));
  await collection.upsert(long, { signal: never });
  const kept = [
    ...long.slice(0, 100).map(({ id }) => id),
    ...Array.from({ length: 9900 }, () => randomUUID()),
  ];
  const before = api.calls.length;
  await collection.deleteMissing('long', kept, { signal: never });
  t.equal((await chunks('chunks')).length, 100);
  const calls = api.calls.slice(before);
  const names = calls.map(({ path }) => path.split('/').at(-1));
  t.same(names, ['get', 'get', 'get', 'get', 'delete', 'delete', 'delete']);
  for (const { body } of calls) t.same(body.where, { document_id: { $eq: 'long' } });
});

t.test('it stores nothing without vectors, and says so', async (t) => {
  const standIn = await startChroma();
  t.teardown(standIn.stop);
  const target = { options: OPTIONS, dimensions: undefined };
  const message = /stores no chunks without vectors; add a step that embeds/;
  await t.rejects(openSink(createSink, standIn.env, target), { expose: true, message });
  t.equal(standIn.api.calls.length, 0);
});

t.test(
  'names that Chroma keeps for itself, and databases that are not there, are errors with its words',
  async (t) => {
    const { open } = await start(t);
    const chunk = chunkOf('a', { fields: { '#a': 1 } });
    await t.rejects((await open()).upsert([chunk], { signal: never }), {
      expose: true,
      message: /^Chroma answered 400: Metadata key cannot start with '#'/,
    });
    const message = /^Chroma answered 404: Not found; check CHROMA_URL, the tenant and the database$/;
    await t.rejects(open({ database: 'another' }), { expose: true, message });
  },
);

t.test('the key is sent, and not in what callers read', async (t) => {
  const { chroma, open } = await start(t, { CHROMA_API_KEY: 'ck-secret' });
  chroma.token = 'ck-secret';
  await open();
  chroma.token = 'another';
  await t.rejects(open(), { message: 'Chroma answered 401: Unauthorized; check CHROMA_API_KEY' });
});

t.test('a call under way ends when nobody waits any more', async (t) => {
  const { api, open } = await start(t);
  await endsMidway(t, await open(), api);
});

testAddress('chroma', 'CHROMA_URL', createSink);
