import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { embeddedText } from '../../../../core/engine/cuts/cuts.ts';
import createSink from '../../../../plugins/sinks/qdrant/index.ts';
import manifest from '../../../../plugins/sinks/qdrant/manifest.ts';
import { chunkOf } from '../../../../server/testing/contracts/sink/chunks.ts';
import { never } from '../../../support/hosted-host.ts';
import { setVariables } from '../../../support/variables.ts';
import { checkFusedSearch, problemsBy, searchOf } from '../fused-search.ts';
import { checkSinkContract, openSink } from '../sinks.ts';
import API from './api.json' with { type: 'json' };
import startQdrant from './stand-in.ts';

const { default: tokenizer } = manifest.options.properties.tokenizer;
const OPTIONS = { collection: 'chunks', text_search: true, tokenizer };

async function start(t: Test) {
  const standIn = await startQdrant();
  t.teardown(standIn.stop);
  const open = (options: object = {}) =>
    openSink(createSink, standIn.env, { options: { ...OPTIONS, ...options } });
  return { ...standIn, open };
}

t.test('it keeps the promises of sinks', async (t) => {
  const standIn = await startQdrant();
  const options = (collection: string) => ({ collection, text_search: true });
  t.match(await checkSinkContract('qdrant', { ...standIn, options }), /histories/);
});

t.test('what is sent is what Qdrant describes, and has the words that are embedded', async (t) => {
  const { api, qdrant, open } = await start(t);
  const collection = await open({ tokenizer: 'code' });
  const contexts = [{}, { context: null }, { context: '' }, { context: 'A title\nA heading' }];
  const chunks = contexts.map((fields) => chunkOf('a', { text: 'parseLine()', fields }));
  await collection.upsert(chunks, { signal: never });
  const { indexes, points } = qdrant.collections.get('chunks') ?? {};
  const words = { type: 'text', tokenizer: 'code', lowercase: true, scoring: true };
  t.same(
    [...(indexes ?? [])],
    [
      ['document_id', 'keyword'],
      ['search_text', words],
    ],
  );
  for (const { id, text, fields } of chunks)
    t.equal(points?.get(id)?.payload.search_text, embeddedText(text, fields.context));
  for (const { path, body } of api.calls) {
    if (path.endsWith('/index')) t.equal(problemsBy(API, 'CreateFieldIndex', body), undefined);
    if (path.endsWith('/points')) t.equal(problemsBy(API, 'PointsList', body), undefined);
  }
  await collection.upsert(
    chunks.slice(3).map((chunk) => ({ ...chunk, text: 'Later' })),
    { signal: never },
  );
  t.equal(points?.get(chunks[3]?.id ?? '')?.payload.search_text, 'A title\nA heading\nLater');
});

t.test('a Qdrant that cannot rank by words is refused before anything is made', async (t) => {
  const { qdrant, open } = await start(t);
  for (const version of ['1.19.3', '0.11.0', '1.2.0', 'dev']) {
    qdrant.version = version;
    const advice = 'text_search needs 1.20 or later; upgrade it, or choose text_search: false';
    const message = `Qdrant ${version} cannot rank by words: ${advice}`;
    await t.rejects(open(), { expose: true, statusCode: 400, message });
    t.equal(qdrant.collections.size, 0);
  }
  for (const version of ['1.20.0', '1.21.0-dev', '2.0.1']) {
    qdrant.version = version;
    await open();
  }
});

t.test('an index with another tokenizer is not replaced', async (t) => {
  const { open } = await start(t);
  await open();
  await open();
  const message = /an index of search_text with the tokenizer word; choose that one or another collection/;
  await t.rejects(open({ tokenizer: 'multilingual' }), { expose: true, statusCode: 400, message });
  await open({ text_search: false, tokenizer: 'multilingual' });
});

t.test('without vectors points have words', async (t) => {
  const { env, qdrant } = await start(t);
  const collection = await openSink(createSink, env, { options: OPTIONS, dimensions: undefined });
  const chunk = chunkOf('a', { embedding: null });
  await collection.upsert([chunk], { signal: never });
  t.match(qdrant.collections.get('chunks')?.points.get(chunk.id), { payload: { search_text: 'Tea' } });
});

t.test("the README's query is one that Qdrant describes", async (t) => {
  const { api, open } = await start(t);
  setVariables(t, { QDRANT_URL: api.url });
  const collection = await open();
  const chunk = chunkOf('a');
  await collection.upsert([chunk], { signal: never });
  const search = await searchOf(t, 'qdrant');
  t.same(await search('How long does tea steep?', [1, 0, 0]), [chunk.id]);
  const body = api.calls.at(-1)?.body;
  t.equal(problemsBy(API, 'QueryRequest', body), undefined);
  t.ok(problemsBy(API, 'QueryRequest', { ...body, query: { rrf: { k: 0 } } }), 'it sees what is wrong');
});

const { TEST_QDRANT_URL: url = '' } = process.env;
t.test(
  "the README's query with a server",
  { skip: url === '' && 'TEST_QDRANT_URL is not set' },
  async (t) => {
    const env = { QDRANT_URL: url };
    setVariables(t, env);
    const name = `test-${randomUUID()}`;
    const collection = await openSink(createSink, env, { options: { ...OPTIONS, collection: name } });
    t.teardown(() => fetch(`${url}/collections/${name}`, { method: 'DELETE' }));
    await checkFusedSearch(t, collection, await searchOf(t, 'qdrant', name));
  },
);
