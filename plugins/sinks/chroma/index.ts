import {
  type Factory,
  refusedError,
  type SinkChunk,
  type SinkCollection,
  type SinkTarget,
} from '../../../core/kit.ts';
import {
  callUnlessMissing,
  createHostedCollection,
  type SinkServer,
  slicesOf,
  vectorsProblem,
} from '../../toolkit/hosted-sink.ts';
import { vectorJson } from '../../toolkit/json/index.ts';
import type manifest from './manifest.ts';

interface Records extends SinkServer {
  /** The path of the collection: `/api/v2/…/collections/<id>`. */
  readonly path: string;
}

/** Maximum records that Chroma Cloud accepts or returns per call. */
const RECORDS_PER_CALL = 300;

async function writeRecords(
  records: Records,
  chunks: readonly SinkChunk[],
  signal: AbortSignal,
): Promise<void> {
  const ids = chunks.map(({ id }) => id);
  const page = { include: ['metadatas'], limit: ids.length, offset: 0 };
  const stored = await getRecords(records, { ids, ...page }, 'metadata', signal);
  const before = new Map(stored.ids.map((id, index) => [id, stored.metadatas?.[index] ?? {}]));
  const body = {
    ids,
    documents: chunks.map(({ text }) => text),
    metadatas: chunks.map((chunk) => metadataOf(chunk, before.get(chunk.id))),
  };
  const vectors = chunks.map(({ embedding }) => (embedding === null ? 'null' : vectorJson(embedding)));
  const json = `{"embeddings":[${vectors.join(',')}],${JSON.stringify(body).slice(1)}`;
  await change(records, 'upsert', new TextEncoder().encode(json), signal);
}

async function idsOf(
  records: Records,
  documentIds: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const page = { include: [], limit: RECORDS_PER_CALL, offset: ids.length };
    const where = whereOf(documentIds);
    const stored = await getRecords(records, { where, ...page }, 'ids', signal);
    ids.push(...stored.ids);
    if (stored.ids.length < RECORDS_PER_CALL) return ids;
  }
}

async function deleteIds(
  records: Records,
  documentIds: readonly string[],
  ids: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (const some of slicesOf(ids, RECORDS_PER_CALL))
    await change(records, 'delete', { ids: some, where: whereOf(documentIds) }, signal);
}

const change = (
  { hosted, api, path }: Records,
  operation: 'upsert' | 'delete',
  body: object,
  signal: AbortSignal,
): Promise<void> =>
  hosted.demand(api, {
    path: `${path}/${operation}`,
    body,
    headers: { 'content-type': 'application/json' },
    expected: 'an answer',
    read: () => {},
    signal,
  });

const whereOf = (documentIds: readonly string[]): object => ({ document_id: { $in: documentIds } });

interface StoredRecords {
  readonly ids: readonly string[];
  readonly metadatas?: readonly (Metadata | null)[] | null;
}

const getRecords = (
  { hosted, api, path }: Records,
  body: object,
  expected: string,
  signal: AbortSignal,
): Promise<StoredRecords> =>
  hosted.demand(api, { path: `${path}/get`, body, expected, read: readRecords, signal });

function readRecords(answer: unknown): StoredRecords {
  const records = answer as StoredRecords;
  if (!Array.isArray(records.ids)) throw new Error('it has no ids');
  return records;
}

type Scalar = string | number | boolean;
/** Metadata as Chroma stores it. In an update, null removes a value. */
type Metadata = Readonly<Record<string, Scalar | null>>;

/**
 * The fields of a chunk as metadata. Lists and objects become JSON, because Chroma stores neither.
 *
 * @param before the stored metadata. Chroma merges metadata, so fields that the chunk lacks become null
 */
function metadataOf({ document_id, fields }: SinkChunk, before: Metadata = {}): Metadata {
  const gone = Object.keys(before).map((name): [string, null] => [name, null]);
  const own = Object.entries(fields).map(([name, value]): [string, Scalar | null] => [name, scalarOf(value)]);
  const whole = Object.fromEntries([...gone, ...own, ['document_id', document_id] as const]);
  const isSent = ([name, value]: [string, unknown]) => value !== null || Object.hasOwn(before, name);
  return Object.fromEntries(Object.entries(whole).filter(isSent));
}

function scalarOf(value: unknown): Scalar | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return JSON.stringify(value);
}

/** Limits of a call, below those of Chroma Cloud. */
const MAX_BATCH = { chunks: 200, bytes: 4_000_000 };
const DOCUMENTS_PER_CALL = 100;

const createChromaSink: Factory<typeof manifest> = ({ env, hosted }) => {
  const server: SinkServer = {
    hosted,
    api: {
      title: 'Chroma',
      url: hosted.baseUrl(env.CHROMA_URL, '', 'CHROMA_URL'),
      urlVariable: 'CHROMA_URL, the tenant and the database',
      keyVariable: 'CHROMA_API_KEY',
      key: env.CHROMA_API_KEY ?? '',
      keyHeader: 'x-chroma-token',
    },
  };
  return {
    async open({ options, dimensions }, { signal }): Promise<SinkCollection> {
      if (options.text_search === true) {
        const advice = 'choose another sink, or text_search: false';
        throw refusedError(`Chroma cannot rank chunks by their words; ${advice}`);
      }
      if (dimensions === undefined) {
        throw refusedError('Chroma cannot store chunks without vectors; add a step that embeds them');
      }
      const { path, stored } = await openCollection(server, options, signal);
      if (stored !== null && stored !== dimensions) {
        const problem = vectorsProblem('the collection has', stored, dimensions);
        throw refusedError(`Chroma: ${problem}; choose another collection`);
      }
      const records = { ...server, path };
      return createHostedCollection({
        limits: { ...MAX_BATCH, dimensions },
        idsPerCall: RECORDS_PER_CALL,
        write: (chunks, signal) => writeRecords(records, chunks, signal),
        idsOf: (documentId, signal) => idsOf(records, [documentId], signal),
        deleteIds: (documentId, ids, signal) => deleteIds(records, [documentId], ids, signal),
      });
    },
    async removeDocuments(documentIds, options, { signal }) {
      const path = pathOf(options);
      const collection = await callUnlessMissing(server, {
        method: 'GET',
        path: `${path}/${String(options.collection)}`,
        expected: 'a collection',
        read: (answer) => readCollection(path, answer),
        signal,
      });
      if (collection === undefined) return;
      const records = { ...server, path: collection.value.path };
      for (const some of slicesOf(documentIds, DOCUMENTS_PER_CALL))
        await deleteIds(records, some, await idsOf(records, some, signal), signal);
    },
  };
};

export default createChromaSink;

interface Collection {
  readonly path: string;
  /** Length of the stored vectors; null if the collection is empty. */
  readonly stored: number | null;
}

function openCollection(
  { hosted, api }: SinkServer,
  options: SinkTarget['options'],
  signal: AbortSignal,
): Promise<Collection> {
  const path = pathOf(options);
  const { collection: name } = options;
  const body = { name, get_or_create: true, configuration: { hnsw: { space: 'cosine' } } };
  const read = (answer: unknown) => readCollection(path, answer);
  return hosted.demand(api, { path, body, expected: 'a collection', read, signal });
}

function pathOf({ tenant, database }: SinkTarget['options']): string {
  return `/api/v2/tenants/${String(tenant)}/databases/${String(database)}/collections`;
}

function readCollection(path: string, answer: unknown): Collection {
  const { id, dimension } = answer as { readonly id: unknown; readonly dimension?: number | null };
  if (typeof id !== 'string') throw new Error('it has no id');
  return { path: `${path}/${encodeURIComponent(id)}`, stored: dimension ?? null };
}
