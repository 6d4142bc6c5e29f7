import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import type { SinkTarget } from '../../../../core/contracts/sink.ts';
import createSink from '../../../../plugins/sinks/chroma/index.ts';
import { chunkOf } from '../../../../server/testing/contracts/sink/chunks.ts';
import { never } from '../../../support/hosted-host.ts';
import { testAddress } from '../../remote.ts';
import { type ApiCall, Refusal, startApi } from '../api-stand-in.ts';
import { keepHundred, openSink, testMidway } from '../sinks.ts';

/** What is sent to Chroma, and what is made of its answers; `processes/` has what it does with that. */

const OPTIONS = { collection: 'chunks', tenant: 'default_tenant', database: 'default_database' };
const COLLECTIONS = '/api/v2/tenants/default_tenant/databases/default_database/collections';
const RECORDS = `${COLLECTIONS}/7-a`;

interface Stored {
  readonly ids?: readonly string[];
  readonly metadatas?: readonly (object | null)[];
}

/** A collection with records, which no call changes. */
async function start(t: Test, { ids = [], metadatas = [] }: Stored = {}) {
  const api = await startApi(({ path, body }: ApiCall) => {
    if (path === COLLECTIONS) return { id: '7-a', dimension: null };
    if (!path.endsWith('/get')) return {};
    const { offset, limit } = body as { readonly offset: number; readonly limit: number };
    return { ids: ids.slice(offset, offset + limit), metadatas };
  });
  t.teardown(api.stop);
  const open = (target: Partial<SinkTarget> = {}) =>
    openSink(createSink, { CHROMA_URL: api.url }, { options: OPTIONS, ...target });
  return { api, open };
}

t.test('a collection is made for cosines', async (t) => {
  const { api, open } = await start(t);
  await open();
  const body = { name: 'chunks', get_or_create: true, configuration: { hnsw: { space: 'cosine' } } };
  t.match(api.calls, [{ method: 'POST', path: COLLECTIONS }]);
  t.same(api.calls[0]?.body, body);
});

t.test('chunks are sent with flat metadata, and what they no longer have is taken away', async (t) => {
  const fields = { start_index: 5, metadata: { tags: ['a'] }, title: null, score: 0.5, last: true };
  const chunk = chunkOf('a.md', { text: '茶 😀', fields });
  const { api, open } = await start(t, { ids: [chunk.id], metadatas: [{ start_index: 4, gone: 1 }] });
  await (await open()).upsert([chunk], { signal: never });
  const flat = { start_index: 5, metadata: '{"tags":["a"]}', score: 0.5, last: true, document_id: 'a.md' };
  const ids = [chunk.id];
  const before = { ids, include: ['metadatas'], limit: 1, offset: 0 };
  const records = {
    ids,
    embeddings: [[1, 0.5, 0]],
    documents: ['茶 😀'],
    metadatas: [{ ...flat, gone: null }],
  };
  const [, got, put] = api.calls.map(({ method, path, body }) => [method, path, body]);
  t.same(got, ['POST', `${RECORDS}/get`, before]);
  t.same(put, ['POST', `${RECORDS}/upsert`, records]);
  t.equal(api.calls.length, 3);
});

t.test('calls have no more records than Chroma Cloud takes', async (t) => {
  const ids = Array.from({ length: 1000 }, () => randomUUID());
  const { api, open } = await start(t, { ids });
  const collection = await open();
  const long = ids.map((id) => chunkOf('long', { id }));
  await collection.upsert(long, { signal: never });
  for (const { body } of api.calls.slice(1)) t.ok((body.ids as string[]).length <= 300);
  const before = api.calls.length;
  await keepHundred(collection, ids);
  const calls = api.calls.slice(before);
  const names = calls.map(({ path }) => path.split('/').at(-1));
  t.same(names, ['get', 'get', 'get', 'get', 'delete', 'delete', 'delete']);
  for (const { body } of calls) t.same(body.where, { document_id: { $in: ['long'] } });
  const sent = calls.slice(4).flatMap(({ body }) => body.ids);
  t.same(sent, ids.slice(100));
});

t.test('it stores nothing without vectors, and says so', async (t) => {
  const { api, open } = await start(t);
  const message = /cannot store chunks without vectors; add a step that embeds/;
  await t.rejects(open({ dimensions: undefined }), { expose: true, statusCode: 400, message });
  t.equal(api.calls.length, 0);
});

t.test('it ranks nothing by words, and says so', async (t) => {
  const { api, open } = await start(t);
  const message = 'Chroma cannot rank chunks by their words; choose another sink, or text_search: false';
  const options = { ...OPTIONS, text_search: true };
  await t.rejects(open({ options }), { expose: true, statusCode: 400, message });
  t.equal(api.calls.length, 0);
  await open({ options: { ...options, text_search: false } });
});

t.test('the key is sent, and not in what callers read', async (t) => {
  const api = await startApi(() => {
    throw new Refusal(401, { error: 'AuthError', message: 'Unauthorized' });
  });
  t.teardown(api.stop);
  const env = { CHROMA_URL: api.url, CHROMA_API_KEY: 'ck-secret' };
  const opened = openSink(createSink, env, { options: OPTIONS });
  await t.rejects(opened, {
    statusCode: 400,
    message: 'Chroma answered 401: Unauthorized; check CHROMA_API_KEY',
  });
  t.match(api.calls, [{ headers: { 'x-chroma-token': 'ck-secret' } }]);
});

t.test('a busy server is asked again', async (t) => {
  const { api, open } = await start(t);
  const collection = await open();
  api.refuse(2, 503, { 'retry-after': '0.01' });
  await collection.upsert([chunkOf('a')], { signal: never });
  t.equal(api.calls.length, 5);
});

testMidway(t, start);
testAddress(t, 'sink', 'chroma', 'CHROMA_URL', createSink);
