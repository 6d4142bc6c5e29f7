import t from 'tap';
import createSink from '../../../../../plugins/sinks/qdrant/index.ts';
import { chunkOf } from '../../../../../server/testing/contracts/sink/chunks.ts';
import { importPackage, noServers } from '../../../../servers/servers.ts';
import { never } from '../../../../support/hosted-host.ts';
import { openSink, saidIn } from '../../sinks.ts';
import startQdrant from '../stand-in.ts';

/** The part of Qdrant's own client that does what the sink does. */
interface QdrantModule {
  readonly QdrantClient: new (
    settings: object,
  ) => Record<
    'getCollection' | 'createCollection' | 'createPayloadIndex' | 'upsert' | 'scroll' | 'delete',
    (collection: string, body?: object) => Promise<unknown>
  >;
}

t.test("the sink says what Qdrant's own client says", { skip: noServers }, async (t) => {
  const [ours, theirs] = [await startQdrant(), await startQdrant()];
  for (const { stop } of [ours, theirs]) t.teardown(stop);
  const chunk = chunkOf('a.md', { text: '茶 😀', fields: { start_index: 5, metadata: { tags: ['a'] } } });
  const target = { options: { collection: 'chunks' } };
  const collection = await openSink(createSink, { ...ours.env, QDRANT_API_KEY: 'key' }, target);
  await collection.upsert([chunk], { signal: never });
  await collection.deleteMissing('a.md', [], { signal: never });

  const { QdrantClient } = await importPackage<QdrantModule>('@qdrant/js-client-rest');
  const client = new QdrantClient({ url: theirs.api.url, apiKey: 'key', checkCompatibility: false });
  await client.getCollection('chunks').catch(() => undefined);
  await client.createCollection('chunks', { vectors: { size: 3, distance: 'Cosine' } });
  const index = { field_name: 'document_id', field_schema: 'keyword' };
  await client.createPayloadIndex('chunks', { ...index, wait: true });
  const payload = { ...chunk.fields, document_id: 'a.md', text: chunk.text };
  const points = [{ id: chunk.id, vector: Array.from(chunk.embedding ?? []), payload }];
  await client.upsert('chunks', { wait: true, points });
  const filter = { must: [{ key: 'document_id', match: { value: 'a.md' } }] };
  await client.scroll('chunks', { filter, limit: 1000, with_payload: false, with_vector: false });
  await client.delete('chunks', { wait: true, points: [chunk.id] });
  t.same(saidIn(ours.api.calls), saidIn(theirs.api.calls));
  t.equal(ours.api.calls.length, 6);
});
