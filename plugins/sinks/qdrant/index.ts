import type { Factory, Kit, SinkChunk, SinkCollection, SinkTarget } from '../../../core/kit.ts';
import { type Client, createClient } from './client.ts';
import { openCollection } from './collection.ts';
import type manifest from './manifest.ts';

/** Qdrant accepts bodies of 32 MB. */
const MOST = { chunks: 500, bytes: 8_000_000 };
const IDS_PER_CALL = 1000;

const createQdrantSink: Factory<typeof manifest> = ({ env, hosted, kit }) => {
  const client = createClient({ env, hosted });
  const pathOf = ({ collection }: SinkTarget['options']) => `/collections/${String(collection)}`;
  return {
    async open({ options, dimensions }, { signal }): Promise<SinkCollection> {
      const path = pathOf(options);
      await openCollection(client, { path, dimensions, signal, kit });
      return {
        async upsert(chunks, { signal }) {
          for (const chunk of chunks) checkNumbers(chunk, kit);
          for (const batch of kit.batchChunks(chunks, { ...MOST, dimensions })) {
            const body = { points: batch.map(pointOf) };
            const asked = { path: `${path}/points?wait=true`, body, ...COMPLETED, signal };
            await client.demand({ ...asked, method: 'PUT' });
          }
        },
        async deleteMissing(documentId, keptIds, { signal }) {
          const kept = new Set(keptIds);
          const missing = (await idsOf(client, path, documentId, signal)).filter((id) => !kept.has(id));
          for (let at = 0; at < missing.length; at += IDS_PER_CALL) {
            const body = { points: missing.slice(at, at + IDS_PER_CALL) };
            await client.demand({ path: `${path}/points/delete?wait=true`, body, ...COMPLETED, signal });
          }
        },
        async close() {},
      };
    },
    async removeDocuments(documentIds, options, { signal }) {
      const path = `${pathOf(options)}/points/delete?wait=true`;
      for (let at = 0; at < documentIds.length; at += IDS_PER_CALL) {
        const any = documentIds.slice(at, at + IDS_PER_CALL);
        const body = { filter: { must: [{ key: 'document_id', match: { any } }] } };
        const outcome = await client.ask({ path, body, ...COMPLETED, signal });
        // There is no collection.
        if ('failure' in outcome && outcome.status === 404) return;
        if ('failure' in outcome) throw kit.exposedError(outcome.message);
      }
    },
  };
};

export default createQdrantSink;

const LEAST_INTEGER = -(2n ** 63n);
const MOST_INTEGER = 2n ** 64n - 1n;

/** Qdrant keeps 64-bit integers exactly, and rounds any other number to a double. */
function checkNumbers({ id, fields }: SinkChunk, kit: Kit): void {
  const rounded = kit.rawNumbersIn(fields).find((number) => {
    if (!/^-?\d+$/.test(number)) return true;
    const value = BigInt(number);
    return value < LEAST_INTEGER || value > MOST_INTEGER;
  });
  if (rounded === undefined) return;
  throw kit.exposedError(
    `Qdrant would change the number ${rounded}, which the chunk ${id} contains; send it as a string`,
  );
}

function pointOf({ id, document_id, text, embedding, fields }: SinkChunk): object {
  return { id, vector: embedding ?? {}, payload: { ...fields, document_id, text } };
}

/** Stored points are found at once: a call with `wait=true` is answered when it is done. */
const COMPLETED = {
  expected: 'a completed operation',
  read: (answer: unknown): void => {
    const { result } = answer as { readonly result: { readonly status: unknown } };
    if (result.status !== 'completed') throw new Error(`it is ${String(result.status)}`);
  },
};

interface Page {
  readonly points: readonly { readonly id: string }[];
  readonly next_page_offset?: string | null;
}

/** The ids of all points of a document. */
async function idsOf(
  client: Client,
  path: string,
  documentId: string,
  signal: AbortSignal,
): Promise<string[]> {
  const ids: string[] = [];
  const filter = { must: [{ key: 'document_id', match: { value: documentId } }] };
  let offset: string | undefined;
  do {
    const body = { filter, limit: IDS_PER_CALL, offset, with_payload: false, with_vector: false };
    const page = await client.demand({
      path: `${path}/points/scroll`,
      body,
      expected: 'points',
      read: readPage,
      signal,
    });
    for (const { id } of page.points) ids.push(id);
    offset = page.next_page_offset ?? undefined;
  } while (offset !== undefined);
  return ids;
}

function readPage(answer: unknown): Page {
  const { result } = answer as { readonly result: Page };
  if (!Array.isArray(result.points)) throw new Error('it has no points');
  return result;
}
