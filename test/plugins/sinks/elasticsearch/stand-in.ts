import type { SinkStandIn } from 'chunksmith/testing';
import type { SinkChunk } from '../../../../core/contracts/sink.ts';
import { type Api, type ApiCall, startApi } from '../../../support/api-stand-in.ts';
import { type Engine, type IndexBody, IndexState, refuse, type Source } from './index-state.ts';

type Search = Parameters<IndexState['search']>[0];

/** The part of Elasticsearch 8 and OpenSearch 2 that stores: indices, bulk writes, searches of ids. */
export class Elasticsearch {
  readonly indices = new Map<string, IndexState>();
  readonly #engine: Engine;
  /** What `Authorization` must be; empty for anything. */
  authorization = '';
  /** As many of the next chunks are answered with 429. */
  busyItems = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  answer(call: ApiCall): object {
    const { method, path, body, headers } = call;
    if (this.authorization !== '' && headers.authorization !== this.authorization)
      refuse(401, 'security_exception', 'missing authentication credentials');
    const [, name = '', action = ''] = /^\/([a-z0-9][a-z0-9._-]*)(\/.*)?$/.exec(path) ?? [];
    if (method === 'PUT' && action === '') return this.#create(name, body as object as IndexBody);
    const index = this.indices.get(name);
    if (index === undefined) return refuse(404, 'index_not_found_exception', `no such index [${name}]`);
    switch (`${method} ${action}`) {
      case 'GET /_mapping':
        return { [name]: { mappings: index.body.mappings } };
      case 'POST /_bulk':
        return this.#bulk(index, call);
      case 'POST /_search':
        return searched(index, body);
      case 'POST /_delete_by_query':
        return deleted(index, call);
      default:
        return refuse(405, 'illegal_argument_exception', `no ${method} ${path}`);
    }
  }

  #create(name: string, body: IndexBody): object {
    if (this.indices.has(name))
      refuse(400, 'resource_already_exists_exception', `index [${name}] already exists`);
    this.indices.set(name, new IndexState(body, this.#engine));
    return { acknowledged: true, shards_acknowledged: true, index: name };
  }

  #bulk(index: IndexState, { headers, text, query }: ApiCall): object {
    if (headers['content-type'] !== 'application/x-ndjson')
      refuse(406, 'media_type_header_exception', `Content-Type ${headers['content-type']} is not supported`);
    if (!text.endsWith('\n'))
      refuse(400, 'illegal_argument_exception', 'The bulk request must be terminated by a newline [\\n]');
    const lines = text
      .slice(0, -1)
      .split('\n')
      .map((line) => JSON.parse(line));
    const items = [];
    for (let at = 0; at < lines.length; at += 2) {
      const { _id } = (lines[at] as { index: { _id: string } }).index;
      items.push({ index: { _id, ...this.#write(index, _id, lines[at + 1] as Source) } });
    }
    index.refresh(query.get('refresh'));
    return { took: 1, errors: items.some(({ index }) => 'error' in index), items };
  }

  #write(index: IndexState, id: string, source: Source): object {
    if (this.busyItems > 0) {
      this.busyItems--;
      const reason = 'rejected execution of primary operation';
      return { status: 429, error: { type: 'es_rejected_execution_exception', reason } };
    }
    const reason = index.problemOf(source);
    if (reason !== undefined) return { status: 400, error: { type: 'document_parsing_exception', reason } };
    index.write(id, source);
    return { status: 201, result: 'created' };
  }
}

function searched(index: IndexState, body: object): object {
  const {
    size,
    sort,
    search_after: [after = ''] = [],
    query,
  } = body as {
    size: number;
    sort: [{ id: 'asc' }];
    search_after?: [string];
    query: Search;
  };
  if (size > 10_000 || sort[0].id !== 'asc') refuse(400, 'illegal_argument_exception', 'no such page');
  const ids = index
    .search(query)
    .map(({ id }) => id)
    .filter((id) => id > after)
    .sort();
  const hits = ids.slice(0, size).map((id) => ({ _id: id, sort: [id] }));
  return { took: 1, timed_out: false, _shards: { total: 1, failed: 0 }, hits: { hits } };
}

function deleted(index: IndexState, { body, query }: ApiCall): object {
  const count = index.delete(body.query as Search);
  index.refresh(query.get('refresh'));
  return { took: 1, timed_out: false, deleted: count, version_conflicts: 0, failures: [] };
}

function chunkOf({ id, document_id, text, embedding, ...fields }: Source): SinkChunk {
  return { id, document_id, text, embedding: embedding ?? null, fields };
}

/** A stand-in, and what it is made of. */
export async function startElasticsearch(
  engine: Engine = 'elasticsearch',
): Promise<SinkStandIn & { readonly api: Api; readonly server: Elasticsearch }> {
  const server = new Elasticsearch(engine);
  const api = await startApi((call) => server.answer(call));
  return {
    api,
    server,
    env: { ELASTICSEARCH_URL: api.url },
    options: (index) => ({ index, engine }),
    chunks: async (name) => (server.indices.get(name)?.sources ?? []).map(chunkOf),
    refuse: api.refuse,
    stop: api.stop,
  };
}

export default () => startElasticsearch();
