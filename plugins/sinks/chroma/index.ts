import {
  exposedError,
  type Factory,
  type HostedApi,
  type HostedModels,
  refusedError,
  type SinkChunk,
  type SinkCollection,
  type SinkTarget,
} from '../../../core/kit.ts';
import { batchChunks } from '../../toolkit/chunk-batches.ts';
import { vectorJson } from '../../toolkit/json/index.ts';
import type manifest from './manifest.ts';

/** A Chroma server, and how it is called. */
interface Server {
  readonly hosted: HostedModels;
  readonly api: HostedApi;
}

/** A collection of Chroma. */
interface Records extends Server {
  /** `/api/v2/…/collections/<id>`. */
  readonly path: string;
}

/** Maximum records that Chroma Cloud accepts and returns. */
const RECORDS_PER_CALL = 300;

/** Stores chunks, replacing those stored under their ids, including their metadata. */
async function writeRecords(
  records: Records,
  chunks: readonly SinkChunk[],
  signal: AbortSignal,
): Promise<void> {
  const ids = chunks.map(({ id }) => id);
  const page = { include: ['metadatas'], limit: ids.length, offset: 0 };
  const found = await getRecords(records, { ids, ...page }, 'metadata', signal);
  const before = new Map(found.ids.map((id, index) => [id, found.metadatas?.[index] ?? {}]));
  const body = {
    ids,
    documents: chunks.map(({ text }) => text),
    metadatas: chunks.map((chunk) => metadataOf(chunk, before.get(chunk.id))),
  };
  const vectors = chunks.map(({ embedding }) => (embedding === null ? 'null' : vectorJson(embedding)));
  const json = `{"embeddings":[${vectors.join(',')}],${JSON.stringify(body).slice(1)}`;
  await change(records, 'upsert', new TextEncoder().encode(json), signal);
}

/** The ids of all chunks of documents. */
async function idsOf(
  records: Records,
  documentIds: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const page = { include: [], limit: RECORDS_PER_CALL, offset: ids.length };
    const where = whereOf(documentIds);
    const found = await getRecords(records, { where, ...page }, 'ids', signal);
    for (const id of found.ids) ids.push(id);
    if (found.ids.length < RECORDS_PER_CALL) return ids;
  }
}

/** Deletes chunks of documents. */
async function deleteIds(
  records: Records,
  documentIds: readonly string[],
  ids: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (let at = 0; at < ids.length; at += RECORDS_PER_CALL) {
    const body = { ids: ids.slice(at, at + RECORDS_PER_CALL), where: whereOf(documentIds) };
    await change(records, 'delete', body, signal);
  }
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

interface Found {
  readonly ids: readonly string[];
  readonly metadatas?: readonly (Metadata | null)[] | null;
}

const getRecords = (
  { hosted, api, path }: Records,
  body: object,
  expected: string,
  signal: AbortSignal,
): Promise<Found> => hosted.demand(api, { path: `${path}/get`, body, expected, read: readRecords, signal });

function readRecords(answer: unknown): Found {
  const found = answer as Found;
  if (!Array.isArray(found.ids)) throw new Error('it has no ids');
  return found;
}

type Scalar = string | number | boolean;
/** Metadata as Chroma stores it; null removes a value. */
type Metadata = Readonly<Record<string, Scalar | null>>;

/**
 * The fields of a chunk except its text and vector: lists and objects as JSON, since Chroma stores neither, and no
 * nulls.
 *
 * @param before what is stored under its id: Chroma merges, so fields that the chunk no longer has are removed with
 *   null
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

/** Below the limit of Chroma Cloud for one call. */
const MAX_BATCH = { chunks: 200, bytes: 4_000_000 };
const DOCUMENTS_PER_CALL = 100;

const createChromaSink: Factory<typeof manifest> = ({ env, hosted }) => {
  const api: HostedApi = {
    title: 'Chroma',
    url: hosted.baseUrl(env.CHROMA_URL, '', 'CHROMA_URL'),
    urlVariable: 'CHROMA_URL, the tenant and the database',
    keyVariable: 'CHROMA_API_KEY',
    key: env.CHROMA_API_KEY ?? '',
    keyHeader: 'x-chroma-token',
  };
  const server: Server = { hosted, api };
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
      if ((stored ?? dimensions) !== dimensions) {
        const found = `Chroma: the collection has vectors with dimensions: ${stored}`;
        throw refusedError(`${found}, but the chunks have ${dimensions}; choose another collection`);
      }
      const records = { ...server, path };
      return {
        async upsert(chunks, { signal }) {
          for (const batch of batchChunks(chunks, { ...MAX_BATCH, dimensions }))
            await writeRecords(records, batch, signal);
        },
        async deleteMissing(documentId, keptIds, { signal }) {
          const kept = new Set(keptIds);
          const missing = (await idsOf(records, [documentId], signal)).filter((id) => !kept.has(id));
          await deleteIds(records, [documentId], missing, signal);
        },
        async close() {},
      };
    },
    async removeDocuments(documentIds, options, { signal }) {
      const path = await findCollection(server, options, signal);
      if (path === undefined) return;
      const records = { ...server, path };
      for (let at = 0; at < documentIds.length; at += DOCUMENTS_PER_CALL) {
        const some = documentIds.slice(at, at + DOCUMENTS_PER_CALL);
        await deleteIds(records, some, await idsOf(records, some, signal), signal);
      }
    },
  };
};

export default createChromaSink;

interface Collection {
  readonly path: string;
  /** Length of its vectors; null as long as it is empty. */
  readonly stored: number | null;
}

/** Finds the collection by its name, or creates it. */
function openCollection(
  { hosted, api }: Server,
  options: SinkTarget['options'],
  signal: AbortSignal,
): Promise<Collection> {
  const path = pathOf(options);
  const { collection: name } = options;
  const body = { name, get_or_create: true, configuration: { hnsw: { space: 'cosine' } } };
  const read = (answer: unknown) => readCollection(path, answer);
  return hosted.demand(api, { path, body, expected: 'a collection', read, signal });
}

/** The path of the collection; undefined if it does not exist. */
async function findCollection(
  { hosted, api }: Server,
  options: SinkTarget['options'],
  signal: AbortSignal,
): Promise<string | undefined> {
  const path = pathOf(options);
  const outcome = await hosted.ask(api, {
    method: 'GET',
    path: `${path}/${String(options.collection)}`,
    expected: 'a collection',
    read: (answer) => readCollection(path, answer),
    signal,
  });
  if (!('failure' in outcome)) return outcome.value.path;
  if (outcome.status === 404) return undefined;
  throw exposedError(outcome.message);
}

function pathOf({ tenant, database }: SinkTarget['options']): string {
  return `/api/v2/tenants/${String(tenant)}/databases/${String(database)}/collections`;
}

function readCollection(path: string, answer: unknown): Collection {
  const { id, dimension } = answer as { readonly id: unknown; readonly dimension?: number | null };
  if (typeof id !== 'string') throw new Error('it has no id');
  return { path: `${path}/${encodeURIComponent(id)}`, stored: dimension ?? null };
}
