import t, { type Test } from 'tap';
import type { SinkTarget } from '../../../../core/contracts/sink.ts';
import createSink from '../../../../plugins/sinks/qdrant/index.ts';
import { chunkOf } from '../../../../server/testing/contracts/sink/chunks.ts';
import { never } from '../../../support/hosted-host.ts';
import { testAddress } from '../../remote.ts';
import { keepHundred, openSink, testMidway } from '../sinks.ts';
import startQdrant from './stand-in.ts';

const KEY = 'a-very-secret-key';

async function start(t: Test, env: Readonly<Record<string, string>> = {}) {
  const standIn = await startQdrant();
  t.teardown(standIn.stop);
  const open = (target: Partial<SinkTarget> = {}) =>
    openSink(createSink, { ...standIn.env, ...env }, { options: { collection: 'chunks' }, ...target });
  return { ...standIn, open };
}

t.test('a collection is made for cosines, with an index of documents', async (t) => {
  const { qdrant, open } = await start(t);
  await open();
  const { vectors, indexes } = qdrant.collections.get('chunks') ?? {};
  t.same([vectors, ...(indexes ?? [])], [{ size: 3, distance: 'Cosine' }, ['document_id', 'keyword']]);
});

t.test('without vectors points have none', async (t) => {
  const { chunks, open } = await start(t);
  const chunk = chunkOf('a', { embedding: null });
  await (await open({ dimensions: undefined })).upsert([chunk], { signal: never });
  t.same(await chunks('chunks'), [chunk]);
});

t.test('ids are listed page by page, and deleted in batches', async (t) => {
  const { api, qdrant, open } = await start(t);
  const collection = await open();
  const chunks = Array.from({ length: 2500 }, () => chunkOf('long'));
  await collection.upsert(chunks, { signal: never });
  const ids = chunks.map(({ id }) => id);
  const before = api.calls.length;
  await keepHundred(collection, ids);
  t.equal(qdrant.collections.get('chunks')?.points.size, 100);
  const calls = api.calls.slice(before).map(({ path, body: { points } }) => {
    return [path.split('/').at(-1), Array.isArray(points) ? points.length : 0].join(' ');
  });
  t.same(calls, [...Array(3).fill('scroll 0'), 'delete 1000', 'delete 1000', 'delete 400']);
  await keepHundred(collection, ids);
  t.equal(api.calls.length, before + 7, 'where nothing is missing nothing is deleted');
});

t.test('large chunks go in calls that the server takes', async (t) => {
  const { api, open } = await start(t);
  const chunks = Array.from({ length: 30 }, () => chunkOf('large', { text: 'x'.repeat(2_000_000) }));
  await (await open()).upsert(chunks, { signal: never });
  const longest = Math.max(...api.calls.map(({ text }) => text.length));
  t.ok(longest < 16_000_000, `${longest} bytes`);
});

t.test('a collection with vectors that have names is another', async (t) => {
  const { qdrant, open } = await start(t);
  const vectors = { text: { size: 3, distance: 'Cosine' } };
  qdrant.collections.set('chunks', { vectors, indexes: new Map(), points: new Map() });
  await t.rejects(open(), {
    expose: true,
    statusCode: 400,
    message: /dimensions: several, but the chunks have 3/,
  });
});

t.test('the key is sent, and not in what callers read', async (t) => {
  const { qdrant, api, open } = await start(t, { QDRANT_API_KEY: KEY });
  qdrant.key = KEY;
  await open();
  t.equal(api.calls[0]?.headers['api-key'], KEY);
  qdrant.key = 'another';
  const message = 'Qdrant answered 401: Invalid API key; check QDRANT_API_KEY';
  await t.rejects(open(), { expose: true, message });
});

t.test('what the server says of a refusal reaches the caller', async (t) => {
  const { open } = await start(t);
  const collection = await open();
  const stored = collection.upsert([chunkOf('a', { id: '7' })], { signal: never });
  await t.rejects(stored, { expose: true, message: 'Qdrant answered 400: value 7 is not a valid point ID' });
});

testMidway(t, start);
testAddress(t, 'sink', 'qdrant', 'QDRANT_URL', createSink);
