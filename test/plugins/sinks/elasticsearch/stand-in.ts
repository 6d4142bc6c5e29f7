import type { SinkChunk } from '../../../../core/contracts/sink.ts';
import { parseExactJson } from '../../../../plugins/toolkit/json/exact-json.ts';
import { type ApiCall, startApi } from '../api-stand-in.ts';
import { type Engine, IndexState, refuse, type Source } from './index-state.ts';

/** What stores in an index. */
const ROUTES: Readonly<
  Record<string, (index: IndexState, call: ApiCall, server: Elasticsearch, name: string) => object>
> = {
  'GET /_mapping': ({ body: { mappings } }, _call, _server, name) => ({ [name]: { mappings } }),
  'PUT /_mapping'(index, { body }) {
    Object.assign(index.body.mappings.properties, body.properties);
    return { acknowledged: true };
  },
  'POST /_bulk': written,
  'POST /_search': searched,
  'POST /_delete_by_query'(index, { body, query }) {
    const ids = index.search(body.query);
    for (const id of ids) index.written.delete(id);
    index.refresh(query);
    return { took: 1, timed_out: false, deleted: ids.length, version_conflicts: 0, failures: [] };
  },
};

/** The part of Elasticsearch 8 and OpenSearch 2 that stores: indices, bulk writes, searches of ids. */
class Elasticsearch {
  readonly indices = new Map<string, IndexState>();
  /** What `Authorization` must be; empty for anything. */
  authorization = '';
  /** As many of the next chunks are answered with 429. */
  busyItems = 0;

  answer(call: ApiCall, engine: Engine): object {
    const { method, path, query, body, headers } = call;
    if (this.authorization !== '' && headers.authorization !== this.authorization)
      refuse(401, 'security_exception', 'missing authentication credentials');
    const [, name = '', action = ''] = /^\/([a-z0-9][a-z0-9._-]*)(\/.*)?$/.exec(path) ?? [];
    const index = this.indices.get(name);
    if (method === 'PUT' && action === '') {
      if (index !== undefined)
        refuse(400, 'resource_already_exists_exception', `index [${name}] already exists`);
      this.indices.set(name, new IndexState(body as object as IndexState['body'], engine));
      return { acknowledged: true, shards_acknowledged: true, index: name };
    }
    if (index === undefined && query.get('ignore_unavailable') === 'true') return { failures: [] };
    if (index === undefined) return refuse(404, 'index_not_found_exception', `no such index [${name}]`);
    const route = ROUTES[`${method} ${action}`];
    return (
      route?.(index, call, this, name) ?? refuse(405, 'illegal_argument_exception', `no ${method} ${path}`)
    );
  }
}

function written(index: IndexState, { headers, text, query }: ApiCall, server: Elasticsearch): object {
  if (headers['content-type'] !== 'application/x-ndjson')
    refuse(406, 'media_type_header_exception', `Content-Type ${headers['content-type']} is not supported`);
  if (!text.endsWith('\n'))
    refuse(400, 'illegal_argument_exception', 'The bulk request must be terminated by a newline [\\n]');
  const lines = text.slice(0, -1).split('\n').map(parseExactJson);
  const outcomeOf = (id: string, source: Source): object => {
    if (server.busyItems > 0) {
      server.busyItems--;
      const reason = 'rejected execution of primary operation';
      return { status: 429, error: { type: 'es_rejected_execution_exception', reason } };
    }
    const reason = index.problemOf(source);
    if (reason !== undefined) return { status: 400, error: { type: 'document_parsing_exception', reason } };
    index.written.set(id, source);
    return { status: 201, result: 'created' };
  };
  const items = [];
  for (let at = 0; at < lines.length; at += 2) {
    const { _id } = (lines[at] as { index: { _id: string } }).index;
    items.push({ index: { _id, ...outcomeOf(_id, lines[at + 1] as Source) } });
  }
  index.refresh(query);
  return { took: 1, errors: items.some(({ index }) => 'error' in index), items };
}

interface Search {
  readonly size: number;
  readonly sort: readonly [{ readonly id: 'asc' }];
  readonly search_after?: readonly [string];
  readonly query: unknown;
}

function searched(index: IndexState, { body }: ApiCall): object {
  const { size, sort, search_after = [''], query } = body as object as Search;
  if (size > 10_000 || sort[0].id !== 'asc') refuse(400, 'illegal_argument_exception', 'no such page');
  const ids = index.search(query).filter((id) => id > search_after[0]);
  const hits = ids
    .sort()
    .slice(0, size)
    .map((id) => ({ _id: id, sort: [id] }));
  return { took: 1, timed_out: false, _shards: { total: 1, failed: 0 }, hits: { hits } };
}

function chunkOf({ id, document_id, text, embedding, search_text: _, ...fields }: Source): SinkChunk {
  return { id, document_id, text, embedding: embedding ? Float32Array.from(embedding) : null, fields };
}

/** A stand-in for `SinkStandIn`, and what it is made of. */
export async function startElasticsearch(engine: Engine = 'elasticsearch') {
  const server = new Elasticsearch();
  const api = await startApi((call) => server.answer(call, engine));
  return {
    api,
    server,
    env: { ELASTICSEARCH_URL: api.url },
    options: (index: string) => ({ index, engine }),
    chunks: async (name: string) => (server.indices.get(name)?.found ?? []).map(chunkOf),
    refuse: api.refuse,
    stop: api.stop,
  };
}

export default () => startElasticsearch();
