import t, { type Test } from 'tap';
import createSink from '../../../../plugins/sinks/elasticsearch/index.ts';
import { chunkOf } from '../../../../server/testing/contracts/sink/chunks.ts';
import { never } from '../../../support/hosted-host.ts';
import { testAddress } from '../../remote.ts';
import { checkSinkContract, keepHundred, openSink, testMidway } from '../sinks.ts';
import { type Engine, IndexState } from './index-state.ts';
import { startElasticsearch } from './stand-in.ts';

const KEY = 'VnVhQ2ZHY0JDZGJrU';

async function start(t: Test, env: Readonly<Record<string, string>> = {}, engine: Engine = 'elasticsearch') {
  const standIn = await startElasticsearch(engine);
  t.teardown(standIn.stop);
  const options = { index: 'chunks', engine };
  return { ...standIn, open: () => openSink(createSink, { ...standIn.env, ...env }, { options }) };
}

t.test('it keeps the promises of sinks with OpenSearch too', async (t) => {
  const standIn = await startElasticsearch('opensearch');
  t.match(await checkSinkContract('elasticsearch', standIn, 25), /histories/);
});

t.test('each of the two has vectors mapped in its own way, and nothing mapped of itself', async (t) => {
  const properties = {
    id: { type: 'keyword' },
    document_id: { type: 'keyword' },
    text: { type: 'text' },
    metadata: { type: 'object', enabled: false },
  };
  const dense = { type: 'dense_vector', dims: 3, index: true, similarity: 'cosine' };
  const method = { name: 'hnsw', space_type: 'cosinesimil', engine: 'lucene' };
  const knn = { type: 'knn_vector', dimension: 3, method };
  const elastic = await start(t);
  await elastic.open();
  const mapped = { mappings: { dynamic: false, properties: { ...properties, embedding: dense } } };
  t.same(elastic.server.indices.get('chunks')?.body, mapped);
  const open = await start(t, {}, 'opensearch');
  await open.open();
  t.same(open.server.indices.get('chunks')?.body, {
    settings: { index: { knn: true } },
    mappings: { dynamic: false, properties: { ...properties, embedding: knn } },
  });
});

t.test('errors within an answer of 200 are those of chunks: what is busy is written again', async (t) => {
  const { api, server, open, chunks } = await start(t);
  const collection = await open();
  const three = [chunkOf('a'), chunkOf('a'), chunkOf('a')];
  server.busyItems = 2;
  const before = api.calls.length;
  await collection.upsert(three, { signal: never });
  t.equal((await chunks('chunks')).length, 3);
  const lines = api.calls.slice(before).map(({ text }) => text.split('\n').length - 1);
  t.same(lines, [6, 4], 'the two that were refused');

  const zero = chunkOf('a', { embedding: new Float32Array(3) });
  const refused = `^Elasticsearch refused the chunk ${zero.id} with 400, document_parsing_exception: .*zero`;
  const message = new RegExp(refused);
  await t.rejects(collection.upsert([chunkOf('a'), zero], { signal: never }), { expose: true, message });
  t.equal(api.calls.length, before + 3, 'it is refused once');
});

t.test('ids are searched page by page, and deleted in batches', async (t) => {
  const { api, open, chunks } = await start(t);
  const collection = await open();
  const long = Array.from({ length: 2500 }, () => chunkOf('long'));
  await collection.upsert(long, { signal: never });
  const before = api.calls.length;
  const kept = long.map(({ id }) => id);
  await keepHundred(collection, kept);
  t.equal((await chunks('chunks')).length, 100);
  const calls = api.calls.slice(before);
  const asked = calls.map(({ path, query }) => `${path.split('/').at(-1)} ${query}`);
  t.same(asked, [...Array(3).fill('_search '), ...Array(3).fill('_delete_by_query refresh=true')]);
  t.ok(calls.every(({ text }) => text.length < 50_000));
});

t.test('an index that maps other fields is refused', async (t) => {
  const { server, open } = await start(t);
  const mappings = { dynamic: true, properties: { id: { type: 'keyword' }, document_id: { type: 'text' } } };
  server.indices.set('chunks', new IndexState({ mappings }, 'elasticsearch'));
  const message = /does not map document_id as keyword; choose another index/;
  await t.rejects(open(), { expose: true, statusCode: 400, message });
});

t.test('it signs in with a key, or with a user and a password, and callers read neither', async (t) => {
  const user = { ELASTICSEARCH_USERNAME: 'user', ELASTICSEARCH_PASSWORD: 'pass' };
  for (const [env, authorization, variable] of [
    [{ ELASTICSEARCH_API_KEY: KEY }, `ApiKey ${KEY}`, 'ELASTICSEARCH_API_KEY'],
    [user, `Basic ${btoa('user:pass')}`, 'ELASTICSEARCH_PASSWORD'],
  ] as const) {
    const { server, open } = await start(t, env);
    server.authorization = authorization;
    await open();
    server.authorization = 'ApiKey another';
    const message = `Elasticsearch answered 401: missing authentication credentials; check ${variable}`;
    await t.rejects(open(), { expose: true, message });
  }
});

t.test('nobody waits for a chunk that is busy if the job is over', async (t) => {
  const { server, open } = await start(t);
  const collection = await open();
  const gone = new AbortController();
  server.busyItems = Number.POSITIVE_INFINITY;
  const done = collection.upsert([chunkOf('a')], { signal: gone.signal });
  setTimeout(() => gone.abort(new Error('gone')), 20);
  await t.rejects(done, { message: 'gone' });
});

testMidway(t, start);
testAddress(t, 'sink', 'elasticsearch', 'ELASTICSEARCH_URL', createSink);
