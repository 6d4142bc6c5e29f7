import type { Kit } from '../../../core/kit.ts';
import type { Client } from './client.ts';

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
 * @throws Error for callers if the index maps them in another way
 */
export async function openIndex(client: Client, opening: Opening): Promise<void> {
  const { path, signal, kit } = opening;
  if (await checkIndex(client, opening)) return;
  const asked = { path, body: indexFor(opening), expected: 'an index', read: () => {}, signal };
  const outcome = await client.ask({ ...asked, method: 'PUT' });
  // Of several that make it at the same time, all but one are refused; what matters then is what they find.
  if (!('failure' in outcome) || (await checkIndex(client, opening))) return;
  throw kit.exposedError(outcome.message);
}

/** Whether the index is there. @throws Error for callers if it maps other fields */
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

/** The fields of each index of an answer: an alias stands for one of another name. */
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
  const wanted = dimensions === undefined ? 'none were announced' : `${dimensions} were announced`;
  return `the index maps vectors of dimensions: ${has ?? 'none'}, but ${wanted}`;
}

/** What is not mapped is stored and not searched, so that no metadata can be refused or grow the mapping. */
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
