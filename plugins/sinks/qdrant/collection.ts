import type { Kit } from '../../../core/kit.ts';
import type { Client } from './client.ts';

interface Opening {
  /** `/collections/<name>`. */
  readonly path: string;
  readonly dimensions: number | undefined;
  readonly signal: AbortSignal;
  readonly kit: Kit;
}

/**
 * Makes sure that there is a collection for vectors of this length, and an index to find documents by.
 *
 * @throws Error for callers if the collection has other vectors
 */
export async function openCollection(client: Client, opening: Opening): Promise<void> {
  const { path, signal } = opening;
  const isThere = await checkCollection(client, opening);
  if (!isThere) await createCollection(client, opening);
  const body = { field_name: 'document_id', field_schema: 'keyword' };
  const asked = { path: `${path}/index?wait=true`, body, expected: 'an index', read: () => {}, signal };
  await client.demand({ ...asked, method: 'PUT' });
}

/** If several create it at the same time, all but one are refused; what matters then is what they find. */
async function createCollection(client: Client, opening: Opening): Promise<void> {
  const { path, dimensions, signal, kit } = opening;
  const vectors = dimensions === undefined ? {} : { size: dimensions, distance: 'Cosine' };
  const asked = { path, body: { vectors }, expected: 'a collection', read: () => {}, signal };
  const outcome = await client.ask({ ...asked, method: 'PUT' });
  if (!('failure' in outcome) || (await checkCollection(client, opening))) return;
  throw kit.exposedError(outcome.message);
}

/** Whether the collection exists. @throws Error for callers if it has other vectors */
async function checkCollection(client: Client, { path, dimensions, signal, kit }: Opening): Promise<boolean> {
  const asked = { path, expected: 'a collection', read: sizeIn, signal };
  const outcome = await client.ask({ ...asked, method: 'GET' });
  if ('failure' in outcome) {
    if (outcome.status === 404) return false;
    throw kit.exposedError(outcome.message);
  }
  if (outcome.value === (dimensions ?? 'none')) return true;
  const wanted = dimensions === undefined ? 'the chunks have none' : `the chunks have ${dimensions}`;
  const found = `Qdrant: the collection has vectors with dimensions: ${outcome.value}, but ${wanted}`;
  throw kit.refusedError(`${found}; choose another collection`);
}

/** The length of the unnamed vectors of a collection. */
function sizeIn(answer: unknown): number | 'none' | 'several' {
  const { result } = answer as {
    readonly result: { readonly config: { readonly params: { readonly vectors?: object } } };
  };
  const vectors: { readonly size?: unknown } = result.config.params.vectors ?? {};
  if (typeof vectors.size === 'number') return vectors.size;
  return Object.keys(vectors).length === 0 ? 'none' : 'several';
}
