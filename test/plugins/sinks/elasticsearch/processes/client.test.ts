import t from 'tap';
import createSink from '../../../../../plugins/sinks/elasticsearch/index.ts';
import { chunkOf } from '../../../../../server/testing/contracts/sink/chunks.ts';
import { importPackage, noServers } from '../../../../servers/servers.ts';
import { never } from '../../../../support/hosted-host.ts';
import { type ApiCall, Refusal, startApi } from '../../api-stand-in.ts';
import { openSink, saidIn } from '../../sinks.ts';

type Call = (request: object) => Promise<unknown>;

/** The part of Elasticsearch's own client that does what the sink does. */
interface ElasticsearchModule {
  readonly Client: new (
    settings: object,
  ) => { readonly indices: Record<'create' | 'getMapping', Call> } & Record<
    'bulk' | 'deleteByQuery' | 'search',
    Call
  >;
}

const PROPERTIES = {
  id: { type: 'keyword' },
  document_id: { type: 'keyword' },
  text: { type: 'text' },
  metadata: { type: 'object', enabled: false },
  embedding: { type: 'dense_vector', dims: 3, index: true, similarity: 'cosine' },
};

const chunk = chunkOf('a.md', { text: 'a\nb 😀', fields: { metadata: { tags: ['a'] } } });

/** Answers that have the sink make all its calls. */
function startIndex() {
  const answer = ({ method, path }: ApiCall): object => {
    if (path.endsWith('/_bulk')) return { errors: false, items: [{ index: { _id: chunk.id, status: 201 } }] };
    const hits = { hits: [{ _id: chunk.id, sort: [chunk.id] }] };
    if (path.endsWith('/_search')) return { timed_out: false, _shards: { failed: 0 }, hits };
    if (path.endsWith('/_delete_by_query')) return { failures: [] };
    if (method === 'PUT') return {};
    throw new Refusal(404, { error: { type: 'index_not_found_exception' } });
  };
  return startApi(answer, { 'x-elastic-product': 'Elasticsearch' });
}

/** Their content types differ: ours are those that OpenSearch and older versions take too. */
t.test("the sink says what Elasticsearch's own client says", { skip: noServers }, async (t) => {
  const [ours, theirs] = [await startIndex(), await startIndex()];
  for (const { stop } of [ours, theirs]) t.teardown(stop);
  const env = { ELASTICSEARCH_URL: ours.url, ELASTICSEARCH_API_KEY: 'key' };
  const target = { options: { index: 'chunks', engine: 'elasticsearch' } };
  const collection = await openSink(createSink, env, target);
  await collection.upsert([chunk], { signal: never });
  await collection.deleteMissing('a.md', [], { signal: never });

  const { Client } = await importPackage<ElasticsearchModule>('@elastic/elasticsearch');
  const client = new Client({ node: theirs.url, auth: { apiKey: 'key' } });
  const index = 'chunks';
  await client.indices.getMapping({ index }).catch(() => undefined);
  await client.indices.create({ index, mappings: { dynamic: false, properties: PROPERTIES } });
  const { id, document_id, text } = chunk;
  const embedding = Array.from(chunk.embedding ?? []);
  const document = { metadata: { tags: ['a'] }, id, document_id, text, embedding };
  await client.bulk({ index, refresh: 'wait_for', operations: [{ index: { _id: id } }, document] });
  const term = { term: { document_id } };
  const page = { size: 1000, _source: false, track_total_hits: false, sort: [{ id: 'asc' }] };
  await client.search({ index, ...page, query: { bool: { filter: [term] } } });
  const query = { bool: { filter: [term, { ids: { values: [id] } }] } };
  await client.deleteByQuery({ index, refresh: true, query });
  t.same(saidIn(ours.calls), saidIn(theirs.calls));
  t.equal(ours.calls.length, 5);
});
