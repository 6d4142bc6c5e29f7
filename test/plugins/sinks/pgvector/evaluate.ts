import pg from 'pg';
import createSink from '../../../../plugins/sinks/pgvector/index.ts';
import { collaborators } from '../../../../server/testing/collaborators.ts';
import { noPostgres, startPostgres } from '../../../support/postgres.ts';
import type { Cleanup } from '../../../support/server.ts';

interface Embedded {
  readonly text: string;
  readonly vector: readonly number[];
}

/**
 * Stores chunks in a PostgreSQL and asks its search function, which fuses words and vectors.
 *
 * @returns for each question the indices of its five best chunks, or why there is no PostgreSQL
 */
export async function searchFused(
  t: Cleanup,
  chunks: readonly (Embedded & { readonly document: number })[],
  questions: readonly Embedded[],
): Promise<number[][] | string> {
  if (noPostgres !== false) return noPostgres;
  const postgres = await startPostgres(t);
  const url = await postgres.newDatabase();
  const options = {
    table: 'chunks',
    schema: 'public',
    vectors: 'vector',
    text_search: true,
    language: 'english',
  };
  const sink = await createSink(collaborators({ env: { PGVECTOR_URL: url } }));
  const context = { signal: AbortSignal.any([]) };
  const collection = await sink.open({ options, dimensions: chunks[0]?.vector.length }, context);
  t.teardown(() => collection.close());
  // Chunks that are equally good are listed by their ids: in the order of the text.
  const rows = chunks.map(({ document, text, vector }, at) => ({
    id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    document_id: String(document),
    text,
    embedding: Float32Array.from(vector),
    fields: {},
  }));
  await collection.upsert(rows, context);
  const places = new Map(rows.map(({ id }, at) => [id, at]));
  const query = 'select id from chunks_search($2, $1)';
  const client = new pg.Client({ connectionString: url });
  t.teardown(() => client.end());
  await client.connect();
  const found: number[][] = [];
  for (const { text, vector } of questions) {
    const { rows: best } = await client.query<{ id: string }>(query, [JSON.stringify(vector), text]);
    found.push(best.map(({ id }) => places.get(id) as number));
  }
  return found;
}
