import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Collaborators,
  embeddedText,
  exposedError,
  type Factory,
  type HostedApi,
  refusedError,
  type SinkChunk,
  type SinkCollection,
  type SinkTarget,
} from '../../../core/kit.ts';
import {
  callUnlessMissing,
  createHostedCollection,
  createUnlessThere,
  type SinkServer,
  slicesOf,
  vectorsProblem,
} from '../../toolkit/hosted-sink.ts';
import { vectorJson } from '../../toolkit/json/index.ts';
import type manifest from './manifest.ts';

interface Index extends SinkServer {
  /** The path of the index: `/<index>`. */
  readonly path: string;
  /** The mapping of `search_text`; undefined if chunks are not searched by the words of their context. */
  readonly words: Field | undefined;
}

/** Returns the API key; without one, the user and password, the only credentials that OpenSearch accepts. */
function keyOf(env: Collaborators['env']): Pick<HostedApi, 'key' | 'keyScheme' | 'keyVariable'> {
  const { ELASTICSEARCH_API_KEY: key = '', ELASTICSEARCH_USERNAME: user = '' } = env;
  if (key !== '' || user === '') return { key, keyScheme: 'ApiKey', keyVariable: 'ELASTICSEARCH_API_KEY' };
  const both = Buffer.from(`${user}:${env.ELASTICSEARCH_PASSWORD ?? ''}`).toString('base64');
  return { key: both, keyScheme: 'Basic', keyVariable: 'ELASTICSEARCH_PASSWORD' };
}

const IDS_PER_CALL = 1000;

const ofDocument = (documentId: string): object => ({ term: { document_id: documentId } });

async function idsOf({ hosted, api, path }: Index, filter: object, signal: AbortSignal): Promise<string[]> {
  const ids: string[] = [];
  const query = { bool: { filter: [filter] } };
  let after: string | undefined;
  for (;;) {
    const page = { size: IDS_PER_CALL, _source: false, track_total_hits: false, sort: [{ id: 'asc' }] };
    const hits = await hosted.demand(api, {
      path: `${path}/_search`,
      body: { ...page, query, ...(after !== undefined && { search_after: [after] }) },
      expected: 'hits',
      read: hitsIn,
      signal,
    });
    for (const { _id } of hits) ids.push(_id);
    if (hits.length < IDS_PER_CALL) return ids;
    after = ids.at(-1);
  }
}

function hitsIn(answer: unknown): readonly { readonly _id: string }[] {
  const { timed_out, hits, _shards } = answer as {
    readonly timed_out: boolean;
    readonly _shards: { readonly failed: number };
    readonly hits: { readonly hits: readonly { readonly _id: string }[] };
  };
  if (timed_out || _shards.failed > 0) throw new Error('some shards did not answer');
  return hits.hits;
}

const DELETE = '_delete_by_query?refresh=true';
/** Like `DELETE`, but also succeeds if the index is missing. */
const DELETE_IF_THERE = `${DELETE}&ignore_unavailable=true`;

/** Deletes the chunks that pass all filters. @param operation `DELETE` or `DELETE_IF_THERE` */
async function deleteFound(
  { hosted, api, path }: Index,
  operation: string,
  filter: readonly object[],
  signal: AbortSignal,
): Promise<void> {
  await hosted.demand(api, {
    path: `${path}/${operation}`,
    body: { query: { bool: { filter } } },
    expected: 'deletions without failures',
    read: checkFailures,
    signal,
  });
}

function checkFailures(answer: unknown): void {
  const { failures } = answer as { readonly failures: readonly unknown[] };
  if (failures.length > 0) throw new Error(`${failures.length} chunks could not be deleted`);
}

interface Item {
  readonly _id: string;
  readonly status: number;
  readonly error?: { readonly type: string; readonly reason?: string };
}

const TRIES = 5;
const FIRST_DELAY = 250;
const MAX_REASON_LENGTH = 200;

/**
 * Writes chunks and waits until they are searchable. An answer with status 200 may contain errors. Chunks
 * that a busy server rejects are retried.
 *
 * @throws Error for callers with the reason of the first refused chunk
 */
async function writeChunks(index: Index, chunks: readonly SinkChunk[], signal: AbortSignal): Promise<void> {
  let left = chunks;
  for (let tries = 1; left.length > 0; tries++) {
    const failed = (await writeOnce(index, left, signal)).filter(({ error }) => error !== undefined);
    const refused = failed.find(({ status }) => status !== 429) ?? (tries === TRIES ? failed[0] : undefined);
    if (refused !== undefined) throw exposedError(describe(refused));
    if (failed.length === 0) return;
    const ids = new Set(failed.map(({ _id }) => _id));
    left = left.filter(({ id }) => ids.has(id));
    await sleep(FIRST_DELAY * 2 ** (tries - 1), undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

function writeOnce(
  { hosted, api, path, words }: Index,
  chunks: readonly SinkChunk[],
  signal: AbortSignal,
): Promise<readonly Item[]> {
  const lines = chunks.map(
    (chunk) => `{"index":{"_id":${JSON.stringify(chunk.id)}}}\n${documentOf(chunk, words !== undefined)}\n`,
  );
  return hosted.demand(api, {
    path: `${path}/_bulk?refresh=wait_for`,
    body: new TextEncoder().encode(lines.join('')),
    headers: { 'content-type': 'application/x-ndjson' },
    expected: 'an item for each chunk',
    read: (answer) => itemsIn(answer, chunks.length),
    signal,
  });
}

function documentOf({ id, document_id, text, embedding, fields }: SinkChunk, isSearched: boolean): string {
  const words = isSearched ? { search_text: embeddedText(text, fields.context) } : {};
  const json = JSON.stringify({ ...fields, id, document_id, text, ...words });
  return embedding === null ? json : `${json.slice(0, -1)},"embedding":${vectorJson(embedding)}}`;
}

function itemsIn(answer: unknown, count: number): readonly Item[] {
  const { items } = answer as { readonly items: readonly { readonly index: Item }[] };
  if (items.length !== count) throw new Error(`${items.length} items for ${count} chunks`);
  return items.map(({ index }) => index);
}

function describe({ _id, status, error }: Item): string {
  const said = `${error?.type}: ${error?.reason ?? ''}`.slice(0, MAX_REASON_LENGTH);
  return `Elasticsearch refused the chunk ${_id} with ${status}, ${said}`;
}

/** Servers accept bodies of 100 MB and recommend 5 to 15 MB. */
const MAX_BATCH = { chunks: 1000, bytes: 8_000_000 };

const createElasticsearchSink: Factory<typeof manifest> = ({ env, hosted }) => {
  const api: HostedApi = {
    title: 'Elasticsearch',
    url: hosted.baseUrl(env.ELASTICSEARCH_URL, '', 'ELASTICSEARCH_URL'),
    urlVariable: 'ELASTICSEARCH_URL',
    ...keyOf(env),
  };
  const indexOf = ({ index, text_search, analyzer }: SinkTarget['options']): Index => {
    const named = typeof analyzer === 'string' ? { analyzer } : {};
    const words = text_search === true ? { type: 'text', ...named } : undefined;
    return { hosted, api, path: `/${String(index)}`, words };
  };
  return {
    async open({ options, dimensions }, { signal }): Promise<SinkCollection> {
      const index = indexOf(options);
      await openIndex(index, { engine: String(options.engine), dimensions, signal });
      return createHostedCollection({
        limits: { ...MAX_BATCH, dimensions },
        idsPerCall: IDS_PER_CALL,
        write: (chunks, signal) => writeChunks(index, chunks, signal),
        idsOf: (documentId, signal) => idsOf(index, ofDocument(documentId), signal),
        deleteIds: (documentId, values, signal) =>
          deleteFound(index, DELETE, [ofDocument(documentId), { ids: { values } }], signal),
      });
    },
    async removeDocuments(documentIds, options, { signal }) {
      for (const document_id of slicesOf(documentIds, IDS_PER_CALL))
        await deleteFound(indexOf(options), DELETE_IF_THERE, [{ terms: { document_id } }], signal);
    },
  };
};

export default createElasticsearchSink;

interface Opening {
  readonly engine: string;
  /** Length of the vectors; undefined if chunks have no vectors. */
  readonly dimensions: number | undefined;
  readonly signal: AbortSignal;
}

interface Field {
  readonly type?: string;
  readonly analyzer?: string;
  /** Vector length of a `dense_vector` (Elasticsearch). */
  readonly dims?: number;
  /** Vector length of a `knn_vector` (OpenSearch). */
  readonly dimension?: number;
}

type Fields = Readonly<Record<string, Field | undefined>>;

/**
 * Ensures that the index exists, and that it maps ids as keywords and `embedding` as vectors of this length.
 *
 * @throws Error for callers if an existing index maps these fields differently
 */
async function openIndex(index: Index, opening: Opening): Promise<void> {
  const body = indexFor(opening, index.words);
  const call = { path: index.path, body, expected: 'an index', signal: opening.signal };
  await createUnlessThere(index, call, () => checkIndex(index, opening));
}

/** Whether the index exists; adds `search_text` if needed. @throws Error for callers if fields differ */
async function checkIndex(index: Index, { signal, dimensions }: Opening): Promise<boolean> {
  const { hosted, api, path, words } = index;
  const call = { path: `${path}/_mapping`, expected: 'a mapping', read: fieldsIn, signal };
  const mappings = await callUnlessMissing(index, { ...call, method: 'GET' });
  if (mappings === undefined) return false;
  for (const fields of mappings.value) {
    const problem = problemOf(fields, dimensions) ?? problemOfWords(fields, words);
    if (problem !== undefined) throw refusedError(`Elasticsearch: ${problem}; choose another index`);
  }
  if (words !== undefined && mappings.value.some(({ search_text }) => search_text === undefined)) {
    const addition = { ...call, body: { properties: { search_text: words } }, read: () => {} };
    await hosted.demand(api, { ...addition, method: 'PUT' });
  }
  return true;
}

function fieldsIn(answer: unknown): readonly Fields[] {
  const indices = answer as Readonly<Record<string, { readonly mappings: { readonly properties?: Fields } }>>;
  return Object.values(indices).map(({ mappings }) => mappings.properties ?? {});
}

function problemOf(fields: Fields, dimensions: number | undefined): string | undefined {
  const other = ['id', 'document_id'].find((name) => fields[name]?.type !== 'keyword');
  if (other !== undefined) return `the index does not map ${other} as keyword`;
  const { dims, dimension } = fields.embedding ?? {};
  const has = dims ?? dimension;
  return has === dimensions ? undefined : vectorsProblem('the index maps', has ?? 'none', dimensions);
}

/** @param words the wanted mapping. Without an analyzer in it, any analyzer will do */
function problemOfWords({ search_text: found }: Fields, words: Field | undefined): string | undefined {
  if (found === undefined) return undefined;
  if (found.type !== 'text') return `the index maps search_text as ${found.type}, but text is needed`;
  const { analyzer = 'standard' } = found;
  if (words?.analyzer === undefined || words.analyzer === analyzer) return undefined;
  return `the index has the analyzer ${analyzer} for search_text, but ${words.analyzer} is asked for`;
}

/** The body that creates the index. It does not map metadata, so metadata of any type can be stored. */
function indexFor({ engine, dimensions }: Opening, words: Field | undefined): object {
  const isOpenSearch = engine === 'opensearch';
  const embedding = isOpenSearch
    ? {
        type: 'knn_vector',
        dimension: dimensions,
        method: { name: 'hnsw', space_type: 'cosinesimil', engine: 'lucene' },
      }
    : { type: 'dense_vector', dims: dimensions, index: true, similarity: 'cosine' };
  const properties = {
    id: { type: 'keyword' },
    document_id: { type: 'keyword' },
    text: { type: 'text' },
    metadata: { type: 'object', enabled: false },
    ...(words !== undefined && { search_text: words }),
    ...(dimensions !== undefined && { embedding }),
  };
  const settings = isOpenSearch && dimensions !== undefined ? { settings: { index: { knn: true } } } : {};
  return { ...settings, mappings: { dynamic: false, properties } };
}
