import type { SinkChunk } from '../../../core/contracts/sink.ts';
import type { Table } from './table.ts';

/** A statement and its values. */
interface Statement {
  readonly text: string;
  readonly values: readonly (string | readonly (string | null)[])[];
}

/** Writes chunks with different ids, in one statement. */
export function upsertOf({ name, vectors, dimensions }: Table, chunks: readonly SinkChunk[]): Statement {
  const hasVectors = dimensions !== undefined;
  const columns = ['id', 'document_id', 'text', 'fields', ...(hasVectors ? ['embedding'] : [])];
  const type = vectors === 'array' ? 'real[]' : 'vector';
  const updates = columns.slice(1).map((column) => `${column} = excluded.${column}`);
  const text = `
    insert into ${name} (${columns.join(', ')})
    select id, document_id, text, fields::jsonb${hasVectors ? `, embedding::${type}` : ''}
    from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[])
      as given (id, document_id, text, fields, embedding)
    on conflict (id) do update set ${updates.join(', ')}`;
  const values = [
    chunks.map(({ id }) => id),
    chunks.map(({ document_id }) => document_id),
    chunks.map((chunk) => chunk.text),
    chunks.map(({ fields }) => JSON.stringify(fields)),
    chunks.map(({ embedding }) => (embedding === null ? null : literalOf(embedding, vectors))),
  ];
  return { text, values };
}

function literalOf(vector: readonly number[], vectors: Table['vectors']): string {
  return vectors === 'array' ? `{${vector.join(',')}}` : `[${vector.join(',')}]`;
}

/** Deletes the chunks of a document that were not kept. */
export function deletionOf({ name }: Table, documentId: string, keptIds: readonly string[]): Statement {
  const text = `
    delete from ${name} as stored where document_id = $1
      and not exists (select from unnest($2::uuid[]) as kept (id) where kept.id = stored.id)`;
  return { text, values: [documentId, keptIds] };
}

/** Deletes all chunks of documents. */
export function removalOf({ name }: Table, documentIds: readonly string[]): Statement {
  return { text: `delete from ${name} where document_id = any($1::text[])`, values: [documentIds] };
}

/** In JSON the character NUL is escaped so; an even number of backslashes before it is a text. */
const ESCAPED_NUL = /(?:^|[^\\])(?:\\\\)*\\u0000/;

/** The first chunk with the character NUL, which PostgreSQL has no place for. */
export function firstWithNul(chunks: readonly SinkChunk[]): SinkChunk | undefined {
  return chunks.find(
    ({ document_id, text, fields }) =>
      text.includes('\0') || document_id.includes('\0') || ESCAPED_NUL.test(JSON.stringify(fields)),
  );
}
