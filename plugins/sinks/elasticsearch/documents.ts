import type { Client } from './client.ts';

/** A document whose chunks are asked for. */
interface Document {
  /** `/<index>`. */
  readonly path: string;
  readonly documentId: string;
  readonly signal: AbortSignal;
}

const IDS_PER_CALL = 1000;

/** The ids of all chunks of a document. */
export async function idsOf(client: Client, { path, documentId, signal }: Document): Promise<string[]> {
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
export async function deleteIds(
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

/** Deletes all chunks of documents; there may be no index. */
export async function deleteDocuments(
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
