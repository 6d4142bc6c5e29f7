import {
  embeddedText,
  exposedError,
  type Factory,
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

/** Limits of a call. Qdrant accepts bodies of 32 MB. */
const MAX_BATCH = { chunks: 500, bytes: 8_000_000 };
/** Limits of a call whose points contain their text twice. */
const MAX_TWICE = { ...MAX_BATCH, bytes: MAX_BATCH.bytes / 2 };
const IDS_PER_CALL = 1000;

const createQdrantSink: Factory<typeof manifest> = ({ env, hosted }) => {
  const server: SinkServer = {
    hosted,
    api: {
      title: 'Qdrant',
      url: hosted.baseUrl(env.QDRANT_URL, '', 'QDRANT_URL'),
      urlVariable: 'QDRANT_URL',
      keyVariable: 'QDRANT_API_KEY',
      key: env.QDRANT_API_KEY ?? '',
      keyHeader: 'api-key',
    },
  };
  const pathOf = ({ collection }: SinkTarget['options']) => `/collections/${String(collection)}`;
  return {
    async open({ options, dimensions }, { signal }): Promise<SinkCollection> {
      const path = pathOf(options);
      const tokenizer = options.text_search === true ? String(options.tokenizer) : undefined;
      await openCollection(server, { path, dimensions, tokenizer, signal });
      const collection = createHostedCollection({
        limits: { ...(tokenizer === undefined ? MAX_BATCH : MAX_TWICE), dimensions },
        idsPerCall: IDS_PER_CALL,
        write(chunks, signal) {
          const content = pointsOf(chunks, tokenizer !== undefined);
          const call = { path: `${path}/points?wait=true`, ...content, ...COMPLETED, signal };
          return hosted.demand(server.api, { ...call, method: 'PUT' });
        },
        idsOf: (documentId, signal) => idsOf(server, path, documentId, signal),
        deleteIds(_, points, signal) {
          const call = { path: `${path}/points/delete?wait=true`, body: { points }, ...COMPLETED, signal };
          return hosted.demand(server.api, call);
        },
      });
      return {
        ...collection,
        async upsert(chunks, context) {
          for (const chunk of chunks) checkNumbers(chunk);
          await collection.upsert(chunks, context);
        },
      };
    },
    async removeDocuments(documentIds, options, { signal }) {
      const path = `${pathOf(options)}/points/delete?wait=true`;
      for (const any of slicesOf(documentIds, IDS_PER_CALL)) {
        const body = { filter: { must: [{ key: 'document_id', match: { any } }] } };
        const done = await callUnlessMissing(server, { path, body, ...COMPLETED, signal });
        if (done === undefined) return;
      }
    },
  };
};

export default createQdrantSink;

interface Opening {
  readonly path: string;
  readonly dimensions: number | undefined;
  readonly tokenizer: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Ensures that the collection exists with vectors of this length, and with indexes for documents and words.
 *
 * @throws Error for callers if its vectors or its word index differ, or if the server cannot rank by words
 */
async function openCollection(server: SinkServer, opening: Opening): Promise<void> {
  const { path, dimensions, tokenizer, signal } = opening;
  if (tokenizer !== undefined) await checkVersion(server, opening);
  const vectors = dimensions === undefined ? {} : { size: dimensions, distance: 'Cosine' };
  const call = { path, body: { vectors }, expected: 'a collection', signal };
  await createUnlessThere(server, call, () => checkCollection(server, opening));
  await createIndex(server, opening, 'document_id', 'keyword');
  if (tokenizer === undefined) return;
  await createIndex(server, opening, SEARCH_TEXT, {
    type: 'text',
    tokenizer,
    lowercase: true,
    scoring: true,
  });
}

/** Creates a payload index that covers stored points, too. An equal index is kept. */
function createIndex(
  { hosted, api }: SinkServer,
  { path, signal }: Opening,
  field_name: string,
  field_schema: string | object,
): Promise<void> {
  const body = { field_name, field_schema };
  const call = { path: `${path}/index?wait=true`, body, expected: 'an index', read: () => {}, signal };
  return hosted.demand(api, { ...call, method: 'PUT' });
}

const SEARCH_TEXT = 'search_text';

async function checkVersion({ hosted, api }: SinkServer, { signal }: Opening): Promise<void> {
  const read = (answer: unknown) => String((answer as { readonly version: unknown }).version);
  const version = await hosted.demand(api, { method: 'GET', path: '/', expected: 'a version', read, signal });
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 1 || (major === 1 && minor >= 20)) return;
  throw refusedError(
    `Qdrant ${version} cannot rank by words: text_search needs 1.20 or later; upgrade it, or choose text_search: false`,
  );
}

/** Whether the collection exists. @throws Error for callers if its vectors or its word index differ */
async function checkCollection(server: SinkServer, opening: Opening): Promise<boolean> {
  const { path, dimensions, tokenizer, signal } = opening;
  const call = { path, expected: 'a collection', read: readCollection, signal };
  const collection = await callUnlessMissing(server, { ...call, method: 'GET' });
  if (collection === undefined) return false;
  const { size, words } = collection.value;
  if (size !== (dimensions ?? 'none')) {
    const problem = vectorsProblem('the collection has', size, dimensions);
    throw refusedError(`Qdrant: ${problem}; choose another collection`);
  }
  if (tokenizer === undefined || words === undefined || words === tokenizer) return true;
  const problem = `Qdrant: the collection has an index of ${SEARCH_TEXT} with the tokenizer ${words}`;
  throw refusedError(`${problem}; choose that one or another collection, or delete the index`);
}

function readCollection(answer: unknown) {
  const { result } = answer as {
    readonly result: {
      readonly config: { readonly params: { readonly vectors?: object } };
      readonly payload_schema?: Readonly<
        Record<string, { readonly params?: { readonly tokenizer?: string } }>
      >;
    };
  };
  const words = result.payload_schema?.[SEARCH_TEXT]?.params?.tokenizer;
  return { size: sizeOf(result.config.params.vectors ?? {}), words };
}

function sizeOf(vectors: { readonly size?: unknown }): number | 'none' | 'several' {
  if (typeof vectors.size === 'number') return vectors.size;
  return Object.keys(vectors).length === 0 ? 'none' : 'several';
}

const MIN_INTEGER = -(2n ** 63n);
const MAX_INTEGER = 2n ** 64n - 1n;

/** Refuses numbers that Qdrant would change: it keeps 64-bit integers, but rounds others to doubles. */
function checkNumbers({ id, fields }: SinkChunk): void {
  const rounded = rawNumbersIn(fields).find((number) => {
    if (!/^-?\d+$/.test(number)) return true;
    const value = BigInt(number);
    return value < MIN_INTEGER || value > MAX_INTEGER;
  });
  if (rounded === undefined) return;
  throw exposedError(
    `Qdrant would change the number ${rounded}, which the chunk ${id} contains; send it as a string`,
  );
}

function pointsOf(chunks: readonly SinkChunk[], isSearched: boolean) {
  const points = chunks.map((chunk) => pointOf(chunk, isSearched));
  const body = new TextEncoder().encode(`{"points":[${points.join(',')}]}`);
  return { body, headers: { 'content-type': 'application/json' } };
}

function pointOf({ id, document_id, text, embedding, fields }: SinkChunk, isSearched: boolean): string {
  const words = isSearched ? { [SEARCH_TEXT]: embeddedText(text, fields.context) } : {};
  const rest = JSON.stringify({ id, payload: { ...fields, document_id, text, ...words } });
  return `{"vector":${embedding === null ? '{}' : vectorJson(embedding)},${rest.slice(1)}`;
}

/** A call with `wait=true`. Qdrant answers it once the written points can be found. */
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

async function idsOf(
  { hosted, api }: SinkServer,
  path: string,
  documentId: string,
  signal: AbortSignal,
): Promise<string[]> {
  const ids: string[] = [];
  const filter = { must: [{ key: 'document_id', match: { value: documentId } }] };
  let offset: string | undefined;
  do {
    const body = { filter, limit: IDS_PER_CALL, offset, with_payload: false, with_vector: false };
    const call = { path: `${path}/points/scroll`, body, expected: 'points', read: readPage, signal };
    const page = await hosted.demand(api, call);
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

/** A function of ECMAScript 2026 that TypeScript's types lack. */
const { isRawJSON } = JSON as unknown as { isRawJSON(value: object): boolean };

/** The raw JSON numbers in a value. They are raw because a double would change them. */
function rawNumbersIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return isRawJSON(value) ? [JSON.stringify(value)] : Object.values(value).flatMap(rawNumbersIn);
}
