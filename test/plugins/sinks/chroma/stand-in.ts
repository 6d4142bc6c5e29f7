import { randomUUID } from 'node:crypto';
import type { SinkStandIn } from 'chunksmith/testing';
import type { SinkChunk } from '../../../../core/contracts/sink.ts';
import { type Api, type ApiCall, Refusal, startApi, unknownNames } from '../../../support/api-stand-in.ts';

/** The part of the API v2 of Chroma 1.x that stores: collections and records. */

type Metadata = Readonly<Record<string, unknown>>;

interface Stored {
  readonly embedding: readonly number[];
  readonly document: string;
  readonly metadata: Metadata;
}

interface Collection {
  readonly id: string;
  readonly name: string;
  readonly configuration: unknown;
  dimension: number | null;
  readonly records: Map<string, Stored>;
}

interface Selection {
  readonly ids?: readonly string[];
  readonly where?: Readonly<Record<string, { readonly $eq: string }>>;
  readonly include?: readonly string[];
  readonly limit?: number;
  readonly offset?: number;
}

const refuse = (status: number, error: string, message: string): never => {
  throw new Refusal(status, { error, message });
};
const invalid = (message: string): never => refuse(400, 'InvalidArgumentError', message);

const COLLECTIONS = '/api/v2/tenants/default_tenant/databases/default_database/collections';
/** What Chroma Cloud takes and gives in one call. */
const MOST_RECORDS = 300;

export class Chroma {
  readonly collections = new Map<string, Collection>();
  /** The token that is asked for; empty for none. */
  token = '';

  answer({ method, path, body, headers }: ApiCall): object {
    if (this.token !== '' && headers['x-chroma-token'] !== this.token)
      refuse(401, 'AuthError', 'Unauthorized');
    if (method !== 'POST' || !path.startsWith(COLLECTIONS)) return refuse(404, 'NotFoundError', 'Not found');
    const [, id, action] = path.slice(COLLECTIONS.length).split('/');
    if (id === undefined) return this.#open(body);
    const collection = [...this.collections.values()].find((one) => one.id === id);
    if (collection === undefined) return refuse(404, 'NotFoundError', `Collection [${id}] does not exist`);
    switch (action) {
      case 'upsert':
        return upserted(collection, body);
      case 'get':
        return found(collection, only(body, 'ids', 'where', 'include', 'limit', 'offset'));
      case 'delete':
        return deleted(collection, only(body, 'ids', 'where'));
      default:
        return refuse(404, 'NotFoundError', 'Not found');
    }
  }

  #open(body: object): object {
    only(body, 'name', 'get_or_create', 'configuration', 'metadata');
    const { name, get_or_create, configuration } = body as {
      name: string;
      get_or_create: boolean;
      configuration: unknown;
    };
    const known = this.collections.get(name);
    if (known !== undefined && !get_or_create) refuse(409, 'UniqueConstraintError', 'already exists');
    const fresh = { id: randomUUID(), name, configuration, dimension: null, records: new Map() };
    const collection: Collection = known ?? fresh;
    this.collections.set(name, collection);
    const { records: _, ...shown } = collection;
    return shown;
  }
}

function only(body: object, ...known: string[]): Selection {
  const [name] = unknownNames(body, known);
  if (name !== undefined) invalid(`unknown field ${name}`);
  return body;
}

function upserted(collection: Collection, body: object): object {
  const { ids, embeddings, documents, metadatas } = body as {
    ids: string[];
    embeddings: number[][];
    documents: string[];
    metadatas: Metadata[];
  };
  if (ids.length > MOST_RECORDS) invalid(`Quota exceeded: ${ids.length} records`);
  if (new Set(ids).size < ids.length) refuse(400, 'DuplicateIDError', 'Expected IDs to be unique');
  for (const embedding of embeddings) {
    collection.dimension ??= embedding.length;
    if (embedding.length !== collection.dimension)
      invalid(
        `Collection expecting embedding with dimension of ${collection.dimension}, got ${embedding.length}`,
      );
  }
  for (const metadata of metadatas) checkMetadata(metadata);
  ids.forEach((id, index) => {
    const before = collection.records.get(id)?.metadata ?? {};
    const merged = Object.entries({ ...before, ...metadatas[index] }).filter(([, value]) => value !== null);
    collection.records.set(id, {
      embedding: embeddings[index] ?? [],
      document: documents[index] ?? '',
      metadata: Object.fromEntries(merged),
    });
  });
  return {};
}

function checkMetadata(metadata: Metadata): void {
  for (const [name, value] of Object.entries(metadata)) {
    if (/^([#$]|$)/.test(name)) invalid(`Metadata key cannot start with '#' or '$': ${name}`);
    if (value !== null && typeof value === 'object')
      refuse(422, 'Unprocessable', 'no variant of MetadataValue');
  }
}

function selected({ records }: Collection, { ids, where = {} }: Selection): string[] {
  const wanted = ids === undefined ? undefined : new Set(ids);
  const isMeant = ([id, { metadata }]: [string, Stored]) =>
    (wanted?.has(id) ?? true) && Object.entries(where).every(([name, { $eq }]) => metadata[name] === $eq);
  return [...records].filter(isMeant).map(([id]) => id);
}

function found(collection: Collection, selection: Selection): object {
  const { limit = MOST_RECORDS, offset = 0, include = ['metadatas', 'documents'] } = selection;
  if (limit > MOST_RECORDS) invalid(`Quota exceeded: ${limit} results`);
  const ids = selected(collection, selection).slice(offset, offset + limit);
  const metadatas = include.includes('metadatas')
    ? ids.map((id) => collection.records.get(id)?.metadata)
    : null;
  return { ids, embeddings: null, documents: null, uris: null, metadatas, include };
}

function deleted(collection: Collection, selection: Selection): object {
  if (selection.ids === undefined && selection.where === undefined) invalid('no ids and no where');
  const ids = selected(collection, selection);
  for (const id of ids) collection.records.delete(id);
  return { deleted: ids.length };
}

/** Fields of the chunks of tests that are lists and objects. */
const NESTED = ['metadata', 'headings'];

function chunkOf([id, { embedding, document, metadata }]: [string, Stored]): SinkChunk {
  const { document_id, ...flat } = metadata;
  const fields = Object.entries(flat).map(([name, value]) => [
    name,
    NESTED.includes(name) ? JSON.parse(String(value)) : value,
  ]);
  return {
    id,
    document_id: String(document_id),
    text: document,
    embedding,
    fields: Object.fromEntries(fields),
  };
}

/** A stand-in, and what it is made of. */
export default async function startChroma(): Promise<
  SinkStandIn & { readonly api: Api; readonly chroma: Chroma }
> {
  const chroma = new Chroma();
  const api = await startApi((call) => chroma.answer(call));
  return {
    api,
    chroma,
    env: { CHROMA_URL: api.url },
    options: (collection) => ({ collection }),
    chunks: async (name) => [...(chroma.collections.get(name)?.records ?? [])].map(chunkOf),
    refuse: api.refuse,
    stop: api.stop,
  };
}
