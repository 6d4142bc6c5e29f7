import type { SinkChunk } from '../../../core/contracts/sink.ts';
import type { Client } from './client.ts';
import { type Metadata, metadataOf } from './metadata.ts';

/** A collection of Chroma. */
export interface Records {
  readonly client: Client;
  /** `/api/v2/…/collections/<id>`. */
  readonly path: string;
}

/** Chroma Cloud takes and gives at most this many records. */
const RECORDS_PER_CALL = 300;

/** Stores chunks; what was stored under their ids is replaced, its metadata too. */
export async function writeRecords(
  { client, path }: Records,
  chunks: readonly SinkChunk[],
  signal: AbortSignal,
): Promise<void> {
  const ids = chunks.map(({ id }) => id);
  const before = await metadataBefore({ client, path }, ids, signal);
  const body = {
    ids,
    embeddings: chunks.map(({ embedding }) => embedding),
    documents: chunks.map(({ text }) => text),
    metadatas: chunks.map((chunk) => metadataOf(chunk, before.get(chunk.id))),
  };
  await client.demand({ path: `${path}/upsert`, body, expected: 'an answer', read: () => {}, signal });
}

async function metadataBefore(
  { client, path }: Records,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Metadata>> {
  const page = { include: ['metadatas'], limit: ids.length, offset: 0 };
  const found = await getRecords({ client, path }, { ids, ...page }, 'metadata', signal);
  return new Map(found.ids.map((id, index) => [id, found.metadatas?.[index] ?? {}]));
}

/** The ids of all chunks of documents. */
export async function idsOf(
  { client, path }: Records,
  documentIds: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const page = { include: [], limit: RECORDS_PER_CALL, offset: ids.length };
    const where = whereOf(documentIds);
    const found = await getRecords({ client, path }, { where, ...page }, 'ids', signal);
    for (const id of found.ids) ids.push(id);
    if (found.ids.length < RECORDS_PER_CALL) return ids;
  }
}

/** Deletes chunks of documents. */
export async function deleteIds(
  { client, path }: Records,
  documentIds: readonly string[],
  ids: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (let at = 0; at < ids.length; at += RECORDS_PER_CALL) {
    const body = { ids: ids.slice(at, at + RECORDS_PER_CALL), where: whereOf(documentIds) };
    await client.demand({ path: `${path}/delete`, body, expected: 'an answer', read: () => {}, signal });
  }
}

const whereOf = (documentIds: readonly string[]): object => ({ document_id: { $in: documentIds } });

interface Found {
  readonly ids: readonly string[];
  readonly metadatas?: readonly (Metadata | null)[] | null;
}

const getRecords = (
  { client, path }: Records,
  body: object,
  expected: string,
  signal: AbortSignal,
): Promise<Found> => client.demand({ path: `${path}/get`, body, expected, read: readRecords, signal });

function readRecords(answer: unknown): Found {
  const found = answer as Found;
  if (!Array.isArray(found.ids)) throw new Error('it has no ids');
  return found;
}
