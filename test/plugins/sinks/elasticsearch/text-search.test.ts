import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { embeddedText } from '../../../../core/engine/cuts/cuts.ts';
import createSink from '../../../../plugins/sinks/elasticsearch/index.ts';
import { chunkOf } from '../../../../server/testing/contracts/sink/chunks.ts';
import { blocksOf, page } from '../../../pages/programs.ts';
import { never } from '../../../support/hosted-host.ts';
import { setVariables } from '../../../support/variables.ts';
import { startApi } from '../api-stand-in.ts';
import { checkFusedSearch, problemsBy, searchOf } from '../fused-search.ts';
import { checkSinkContract, openSink } from '../sinks.ts';
import API from './api.json' with { type: 'json' };
import { startElasticsearch } from './stand-in.ts';

const OPTIONS = { index: 'chunks', engine: 'elasticsearch', text_search: true };

async function start(t: Test) {
  const standIn = await startElasticsearch();
  t.teardown(standIn.stop);
  const open = (options: object = {}) =>
    openSink(createSink, standIn.env, { options: { ...OPTIONS, ...options } });
  const properties = () => standIn.server.indices.get('chunks')?.body.mappings.properties ?? {};
  return { ...standIn, open, properties };
}

t.test('it keeps the promises of sinks', async (t) => {
  const standIn = await startElasticsearch();
  const options = (index: string) => ({ index, text_search: true });
  t.match(await checkSinkContract('elasticsearch', { ...standIn, options }), /histories/);
});

t.test('documents have the words that are embedded, mapped as Elasticsearch describes', async (t) => {
  const { server, open, properties } = await start(t);
  const collection = await open();
  for (const [name, mapping] of Object.entries(properties()))
    t.equal(problemsBy(API.elasticsearch, '_types.mapping.Property', mapping), undefined, name);
  t.same(properties().search_text, { type: 'text' });
  const contexts = [{}, { context: null }, { context: '' }, { context: 'A title\nA heading' }];
  const chunks = contexts.map((fields) => chunkOf('a', { fields }));
  await collection.upsert(chunks, { signal: never });
  const wordsOf = (id: string) => server.indices.get('chunks')?.written.get(id)?.search_text;
  for (const { id, text, fields } of chunks) t.equal(wordsOf(id), embeddedText(text, fields.context));
  const [first = chunkOf('a')] = chunks;
  await collection.upsert([{ ...first, text: 'Later' }], { signal: never });
  t.equal(wordsOf(first.id), 'Later');
});

t.test('an existing index is given the mapping once, and its own is kept', async (t) => {
  const { api, open, properties } = await start(t);
  await open({ text_search: false });
  t.equal(properties().search_text, undefined);
  await open();
  t.same(properties().search_text, { type: 'text' });
  Object.assign(properties(), { search_text: { type: 'text', analyzer: 'english' } });
  const before = api.calls.length;
  await open();
  t.equal(api.calls.length, before + 1, 'it only reads the mapping');
  Object.assign(properties(), { search_text: { type: 'keyword' } });
  const message = /the index maps search_text as keyword, but text is needed; choose another index/;
  await t.rejects(open(), { expose: true, statusCode: 400, message });
});

t.test('an analyzer is mapped, and an index with another one is refused', async (t) => {
  const { open, properties } = await start(t);
  await open({ text_search: false });
  await open({ analyzer: 'cjk' });
  const mapping = { type: 'text', analyzer: 'cjk' };
  t.same(properties().search_text, mapping);
  t.equal(problemsBy(API.elasticsearch, '_types.mapping.Property', mapping), undefined);
  await open({ analyzer: 'cjk' });
  await open();
  const message =
    /the index has the analyzer cjk for search_text, but german is asked for; choose another index/;
  await t.rejects(open({ analyzer: 'german' }), { expose: true, statusCode: 400, message });
  Object.assign(properties(), { search_text: { type: 'text' } });
  await open({ analyzer: 'standard' });
  await t.rejects(open({ analyzer: 'cjk' }), { message: /the analyzer standard/ });
});

t.test("the README's searches are those that the two describe, and its ranks are added", async (t) => {
  const lists = [
    ['a', 'b', 'c', 'd'],
    ['d', 'e', 'b', 'f'],
  ];
  const api = await startApi(() => ({ hits: { hits: (lists.shift() ?? []).map((_id) => ({ _id })) } }));
  t.teardown(api.stop);
  setVariables(t, { ELASTICSEARCH_URL: api.url });
  const search = await searchOf(t, 'elasticsearch');
  t.same(await search('How long?', [1, 0, 0]), ['d', 'b', 'a', 'e', 'c']);
  const described = (body: unknown) => problemsBy(API.elasticsearch, 'SearchRequest', body);
  t.equal(api.calls.length, 2);
  for (const { body } of api.calls) t.equal(described(body), undefined);
  const [retriever, pipeline, hybrid] = blocksOf(page('plugins/sinks/elasticsearch/README.md'), 'json').map(
    (block) => JSON.parse(block),
  );
  t.equal(described(retriever), undefined);
  t.ok(described({ ...retriever, knn: { fields: 'embedding' } }), 'it sees what is wrong');
  t.equal(problemsBy(API.opensearch, 'SearchPipelineStructure', pipeline), undefined);
  t.equal(problemsBy(API.opensearch, 'QueryContainer', hybrid.query), undefined);
});

const { TEST_ELASTICSEARCH_URL: url = '' } = process.env;
const skip = url === '' && 'TEST_ELASTICSEARCH_URL is not set';
t.test("the README's search with a server", { skip }, async (t) => {
  const env = { ELASTICSEARCH_URL: url };
  setVariables(t, env);
  const index = `test-${randomUUID()}`;
  const collection = await openSink(createSink, env, { options: { ...OPTIONS, index } });
  t.teardown(() => fetch(`${url}/${index}`, { method: 'DELETE' }));
  await checkFusedSearch(t, collection, await searchOf(t, 'elasticsearch', index));
});
