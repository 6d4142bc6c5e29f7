import { setTimeout as sleep } from 'node:timers/promises';
import type { Factory, Kit, SinkChunk, SinkCollection, SinkTarget } from '../../../core/kit.ts';
import { type Client, createClient } from './client.ts';
import type manifest from './manifest.ts';

/** A document whose chunks are queried. */
interface Document {
  /** `/<index>`. */
  readonly path: string;
  readonly documentId: string;
  readonly signal: AbortSignal;
}

const IDS_PER_CALL = 1000;

/** The ids of all chunks of a document. */
async function idsOf(client: Client, { path, documentId, signal }: Document): Promise<string[]> {
  const ids: string[] = [];
  const query = { bool: { filter: [{ term: { document_id: documentId } }] } };
  let after: string | undefined;
  for (;;) {
    const page = { size: IDS_PER_CALL, _source: false, track_total_hits: false, sort: [{ id: 'asc' }] };
    const found = await client.demand({
      path: `${path}/_search`,
      body: { ...page, query, ...(after !== undefined && { search_after: [after] }) },
      expected: 'hits',
      read: hitsIn,
      signal,
    });
    for (const { _id } of found) ids.push(_id);
    if (found.length < IDS_PER_CALL) return ids;
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

/** Deletes chunks of a document. */
async function deleteIds(
  client: Client,
  { path, documentId, signal }: Document,
  ids: readonly string[],
): Promise<void> {
  for (let at = 0; at < ids.length; at += IDS_PER_CALL) {
    const values = ids.slice(at, at + IDS_PER_CALL);
    const filter = [{ term: { document_id: documentId } }, { ids: { values } }];
    await deleteFound(client, { path: `${path}/${DELETE}`, filter, signal });
  }
}

/** Deletes all chunks of documents; the index may be missing. */
async function deleteDocuments(
  client: Client,
  {
    path,
    documentIds,
    signal,
  }: Pick<Document, 'path' | 'signal'> & { readonly documentIds: readonly string[] },
): Promise<void> {
  for (let at = 0; at < documentIds.length; at += IDS_PER_CALL) {
    const document_id = documentIds.slice(at, at + IDS_PER_CALL);
    const filter = [{ terms: { document_id } }];
    await deleteFound(client, { path: `${path}/${DELETE}&ignore_unavailable=true`, filter, signal });
  }
}

const DELETE = '_delete_by_query?refresh=true';

async function deleteFound(
  client: Client,
  {
    filter,
    ...call
  }: { readonly path: string; readonly filter: readonly object[]; readonly signal: AbortSignal },
): Promise<void> {
  const body = { query: { bool: { filter } } };
  await client.demand({ ...call, body, expected: 'deletions without failures', read: checkFailures });
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

interface Writing {
  /** `/<index>`. */
  readonly path: string;
  readonly signal: AbortSignal;
  readonly kit: Kit;
}

const TRIES = 5;
const FIRST_DELAY = 250;
const LONGEST_REASON = 200;

/**
 * Writes chunks, and waits until they are searchable. An answer of 200 may contain errors: chunks for which a server
 * is too busy are written again.
 *
 * @throws Error for callers with the reason of the first chunk that is refused
 */
async function writeChunks(client: Client, chunks: readonly SinkChunk[], writing: Writing): Promise<void> {
  let left = chunks;
  for (let tries = 1; left.length > 0; tries++) {
    const failed = (await writeOnce(client, left, writing)).filter(({ error }) => error !== undefined);
    const refused = failed.find(({ status }) => status !== 429) ?? (tries === TRIES ? failed[0] : undefined);
    if (refused !== undefined) throw writing.kit.exposedError(describe(refused));
    if (failed.length === 0) return;
    const ids = new Set(failed.map(({ _id }) => _id));
    left = left.filter(({ id }) => ids.has(id));
    await pause(FIRST_DELAY * 2 ** (tries - 1), writing.signal);
  }
}

function writeOnce(
  client: Client,
  chunks: readonly SinkChunk[],
  { path, signal }: Writing,
): Promise<readonly Item[]> {
  const lines = chunks.map(
    (chunk) => `{"index":{"_id":${JSON.stringify(chunk.id)}}}\n${documentOf(chunk)}\n`,
  );
  return client.demand({
    path: `${path}/_bulk?refresh=wait_for`,
    body: new TextEncoder().encode(lines.join('')),
    headers: { 'content-type': 'application/x-ndjson' },
    expected: 'an item for each chunk',
    read: (answer) => itemsIn(answer, chunks.length),
    signal,
  });
}

function documentOf({ id, document_id, text, embedding, fields }: SinkChunk): string {
  return JSON.stringify({ ...fields, id, document_id, text, embedding: embedding ?? undefined });
}

function itemsIn(answer: unknown, count: number): readonly Item[] {
  const { items } = answer as { readonly items: readonly { readonly index: Item }[] };
  if (items.length !== count) throw new Error(`${items.length} items for ${count} chunks`);
  return items.map(({ index }) => index);
}

function describe({ _id, status, error }: Item): string {
  const said = `${error?.type}: ${error?.reason ?? ''}`.slice(0, LONGEST_REASON);
  return `Elasticsearch refused the chunk ${_id} with ${status}, ${said}`;
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
  signal.throwIfAborted();
}

/** Servers accept bodies of 100 MB, and recommend 5 to 15. */
const MOST = { chunks: 1000, bytes: 8_000_000 };

const createElasticsearchSink: Factory<typeof manifest> = ({ env, hosted, kit }) => {
  const client = createClient({ env, hosted });
  const pathOf = ({ index }: SinkTarget['options']) => `/${String(index)}`;
  return {
    async open({ options, dimensions }, { signal }): Promise<SinkCollection> {
      const path = pathOf(options);
      await openIndex(client, { path, engine: String(options.engine), dimensions, signal, kit });
      return {
        async upsert(chunks, { signal }) {
          for (const batch of kit.batchChunks(chunks, { ...MOST, dimensions }))
            await writeChunks(client, batch, { path, signal, kit });
        },
        async deleteMissing(documentId, keptIds, { signal }) {
          const document = { path, documentId, signal };
          const kept = new Set(keptIds);
          const missing = (await idsOf(client, document)).filter((id) => !kept.has(id));
          await deleteIds(client, document, missing);
        },
        async close() {},
      };
    },
    removeDocuments: (documentIds, options, { signal }) =>
      deleteDocuments(client, { path: pathOf(options), documentIds, signal }),
  };
};

export default createElasticsearchSink;

interface Opening {
  /** `/<index>`. */
  readonly path: string;
  readonly engine: string;
  /** Length of the vectors; undefined if there are none. */
  readonly dimensions: number | undefined;
  readonly signal: AbortSignal;
  readonly kit: Kit;
}

interface Field {
  readonly type?: string;
  /** Length of a `dense_vector`. */
  readonly dims?: number;
  /** Length of a `knn_vector`. */
  readonly dimension?: number;
}

type Fields = Readonly<Record<string, Field | undefined>>;

/**
 * Makes sure that there is an index that maps ids as keywords, and vectors of this length.
 *
 * @throws Error for callers if the index maps them differently
 */
async function openIndex(client: Client, opening: Opening): Promise<void> {
  const { path, signal, kit } = opening;
  if (await checkIndex(client, opening)) return;
  const asked = { path, body: indexFor(opening), expected: 'an index', read: () => {}, signal };
  const outcome = await client.ask({ ...asked, method: 'PUT' });
  // If several create it at the same time, all but one are refused; what matters then is what they find.
  if (!('failure' in outcome) || (await checkIndex(client, opening))) return;
  throw kit.exposedError(outcome.message);
}

/** Whether the index exists. @throws Error for callers if it maps other fields */
async function checkIndex(client: Client, opening: Opening): Promise<boolean> {
  const { path, signal, kit } = opening;
  const asked = { path: `${path}/_mapping`, expected: 'a mapping', read: fieldsIn, signal };
  const outcome = await client.ask({ ...asked, method: 'GET' });
  if ('failure' in outcome) {
    if (outcome.status === 404) return false;
    throw kit.exposedError(outcome.message);
  }
  for (const fields of outcome.value) {
    const problem = problemOf(fields, opening);
    if (problem === undefined) continue;
    throw kit.refusedError(`Elasticsearch: ${problem}; choose another index`);
  }
  return true;
}

/** The fields of each index of an answer: an alias refers to one with another name. */
function fieldsIn(answer: unknown): readonly Fields[] {
  const indices = answer as Readonly<Record<string, { readonly mappings: { readonly properties?: Fields } }>>;
  return Object.values(indices).map(({ mappings }) => mappings.properties ?? {});
}

function problemOf(fields: Fields, { dimensions }: Opening): string | undefined {
  const other = ['id', 'document_id'].find((name) => fields[name]?.type !== 'keyword');
  if (other !== undefined) return `the index does not map ${other} as keyword`;
  const { dims, dimension } = fields.embedding ?? {};
  const has = dims ?? dimension;
  if (has === dimensions) return undefined;
  const wanted = dimensions === undefined ? 'the chunks have none' : `the chunks have ${dimensions}`;
  return `the index maps vectors with dimensions: ${has ?? 'none'}, but ${wanted}`;
}

/** Unmapped fields are stored and not searched, so that no metadata can be refused or grow the mapping. */
function indexFor({ engine, dimensions }: Opening): object {
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
    ...(dimensions !== undefined && { embedding }),
  };
  const settings = isOpenSearch && dimensions !== undefined ? { settings: { index: { knn: true } } } : {};
  return { ...settings, mappings: { dynamic: false, properties } };
}
