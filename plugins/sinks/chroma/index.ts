import type { Factory } from '../../../core/contracts/plugin.ts';
import type { SinkCollection, SinkTarget } from '../../../core/contracts/sink.ts';
import type { Kit } from '../../../core/kit.ts';
import { type Client, createClient } from './client.ts';
import type manifest from './manifest.ts';
import { deleteIds, idsOf, writeRecords } from './records.ts';

/** Below what Chroma Cloud takes in one call. */
const MOST = { chunks: 200, bytes: 4_000_000 };
const DOCUMENTS_PER_CALL = 100;

const createChromaSink: Factory<typeof manifest> = ({ env, hosted, kit }) => {
  const client = createClient({ env, hosted });
  return {
    async open({ options, dimensions }, { signal }): Promise<SinkCollection> {
      if (dimensions === undefined) {
        throw kit.refusedError('Chroma stores no chunks without vectors; add a step that embeds them');
      }
      const { path, stored } = await openCollection(client, options, signal);
      if ((stored ?? dimensions) !== dimensions) {
        const found = `Chroma: the collection has vectors of dimensions: ${stored}`;
        throw kit.refusedError(`${found}, but ${dimensions} were announced; choose another collection`);
      }
      const records = { client, path };
      return {
        async upsert(chunks, { signal }) {
          for (const batch of kit.batchChunks(chunks, { ...MOST, dimensions }))
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
      const path = await findCollection(client, options, { signal, kit });
      if (path === undefined) return;
      const records = { client, path };
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

/** Finds the collection by its name, or makes it. */
function openCollection(
  client: Client,
  options: SinkTarget['options'],
  signal: AbortSignal,
): Promise<Collection> {
  const path = pathOf(options);
  const { collection: name } = options;
  const body = { name, get_or_create: true, configuration: { hnsw: { space: 'cosine' } } };
  const read = (answer: unknown) => readCollection(path, answer);
  return client.demand({ path, body, expected: 'a collection', read, signal });
}

/** The path of the collection; undefined if it is not there. */
async function findCollection(
  client: Client,
  options: SinkTarget['options'],
  { signal, kit }: { readonly signal: AbortSignal; readonly kit: Kit },
): Promise<string | undefined> {
  const path = pathOf(options);
  const outcome = await client.ask({
    method: 'GET',
    path: `${path}/${String(options.collection)}`,
    expected: 'a collection',
    read: (answer) => readCollection(path, answer),
    signal,
  });
  if (!('failure' in outcome)) return outcome.value.path;
  if (outcome.status === 404) return undefined;
  throw kit.exposedError(outcome.message);
}

function pathOf({ tenant, database }: SinkTarget['options']): string {
  return `/api/v2/tenants/${String(tenant)}/databases/${String(database)}/collections`;
}

function readCollection(path: string, answer: unknown): Collection {
  const { id, dimension } = answer as { readonly id: unknown; readonly dimension?: number | null };
  if (typeof id !== 'string') throw new Error('it has no id');
  return { path: `${path}/${encodeURIComponent(id)}`, stored: dimension ?? null };
}
