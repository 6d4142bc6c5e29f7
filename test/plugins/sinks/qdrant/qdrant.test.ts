import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import createSink from '../../../../plugins/sinks/qdrant/index.ts';
import { chunkOf } from '../../../../server/testing/contracts/sink/chunks.ts';
import { never } from '../../../support/hosted-host.ts';
import { endsMidway, openSink, testAddress } from '../../../support/sinks.ts';
import startQdrant from './stand-in.ts';

const KEY = 'a-very-secret-key';

/** A collection that is open, with three dimensions unless said otherwise, and what it is stored in. */
async function start(
  t: Test,
  dimensions: number | undefined = 3,
  env: Readonly<Record<string, string>> = {},
) {
  const standIn = await startQdrant();
  t.teardown(standIn.stop);
  const open = (collection = 'chunks') =>
    openSink(createSink, { ...standIn.env, ...env }, { options: { collection }, dimensions });
  return { ...standIn, open };
}

t.test('a collection is made for cosines, with an index of documents', async (t) => {
  const { qdrant, api, open } = await start(t);
  await open('documents');
  t.match(qdrant.collections.get('documents'), { vectors: { size: 3, distance: 'Cosine' } });
  t.same(
    api.calls.map(({ method, path, query, body }) => [method, path, `${query}`, body]),
    [
      ['GET', '/collections/documents', '', {}],
      ['PUT', '/collections/documents', '', { vectors: { size: 3, distance: 'Cosine' } }],
      [
        'PUT',
        '/collections/documents/index',
        'wait=true',
        { field_name: 'document_id', field_schema: 'keyword' },
      ],
    ],
  );
});

t.test('a chunk is a point with all its fields as payload', async (t) => {
  const { api, open } = await start(t);
  const chunk = chunkOf('a.md', { text: '茶 😀', fields: { start_index: 5, metadata: { tags: ['a'] } } });
  await (await open()).upsert([chunk], { signal: never });
  const payload = { start_index: 5, metadata: { tags: ['a'] }, document_id: 'a.md', text: '茶 😀' };
  t.match(api.calls.at(-1), { method: 'PUT', path: '/collections/chunks/points' });
  t.same(api.calls.at(-1)?.body, { points: [{ id: chunk.id, vector: [1, 0.5, 0], payload }] });
});

t.test('without vectors points have none', async (t) => {
  const standIn = await startQdrant();
  t.teardown(standIn.stop);
  const target = { options: { collection: 'plain' }, dimensions: undefined };
  const collection = await openSink(createSink, standIn.env, target);
  const chunk = chunkOf('a', { embedding: null });
  await collection.upsert([chunk], { signal: never });
  t.same(await standIn.chunks('plain'), [chunk]);
});

t.test('ids are listed page by page, and deleted in batches', async (t) => {
  const { api, qdrant, open } = await start(t);
  const collection = await open();
  const chunks = Array.from({ length: 2500 }, () => chunkOf('long'));
  await collection.upsert(chunks, { signal: never });
  const kept = [
    ...chunks.slice(0, 100).map(({ id }) => id),
    ...Array.from({ length: 9900 }, () => randomUUID()),
  ];
  const before = api.calls.length;
  await collection.deleteMissing('long', kept, { signal: never });
  t.equal(qdrant.collections.get('chunks')?.points.size, 100);
  const calls = api.calls.slice(before).map(({ path, body: { points } }) => [path.split('/').at(-1), points]);
  t.same(
    calls.map(([name, points]) => [name, Array.isArray(points) ? points.length : undefined]),
    [
      ['scroll', undefined],
      ['scroll', undefined],
      ['scroll', undefined],
      ['delete', 1000],
      ['delete', 1000],
      ['delete', 400],
    ],
  );
  await collection.deleteMissing('long', kept, { signal: never });
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
  qdrant.collections.set('named', { vectors, indexes: new Set(), points: new Map() });
  await t.rejects(open('named'), { expose: true, message: /dimensions: several, but 3 were announced/ });
});

t.test('the key is sent, and not in what callers read', async (t) => {
  const { qdrant, api, open } = await start(t, 3, { QDRANT_API_KEY: KEY });
  qdrant.key = KEY;
  await open();
  t.equal(api.calls[0]?.headers['api-key'], KEY);
  qdrant.key = 'another';
  await t.rejects(open(), {
    expose: true,
    message: /^Qdrant answered 401: Invalid API key; check QDRANT_API_KEY$/,
  });
});

t.test('what the server says of a refusal reaches the caller', async (t) => {
  const { open } = await start(t);
  const collection = await open();
  const message = /^Qdrant answered 400: value 7 is not a valid point ID$/;
  await t.rejects(collection.upsert([chunkOf('a', { id: '7' })], { signal: never }), {
    expose: true,
    message,
  });
});

t.test('a call under way ends when nobody waits any more', async (t) => {
  const { api, open } = await start(t);
  await endsMidway(t, await open(), api);
});

testAddress('qdrant', 'QDRANT_URL', createSink);
