import type { Kit } from '../../../core/kit.ts';
import type { Database } from './database.ts';

/** Where chunks are stored, and how their vectors are. */
export interface Table {
  /** Quoted, with its schema. */
  readonly name: string;
  readonly vectors: 'vector' | 'array';
  /** Length of the vectors; undefined if there is no column for them. */
  readonly dimensions: number | undefined;
}

/** @param options checked: names are letters, digits and underscores */
export function tableOf(options: Readonly<Record<string, unknown>>, dimensions: number | undefined): Table {
  const name = `${quoted(options.schema)}.${quoted(options.table)}`;
  return { name, vectors: options.vectors === 'array' ? 'array' : 'vector', dimensions };
}

const quoted = (name: unknown): string => `"${String(name).replaceAll('"', '""')}"`;

/** Any number, the same for all that make tables: the second of two waits, and finds the table. */
const LOCK = 7_238_105;

/**
 * Makes sure that there is a table with these columns, and an index by which documents are found.
 *
 * @throws Error for callers if the table has other columns
 */
export async function prepareTable(
  database: Database,
  table: Table,
  { signal, kit }: { readonly signal: AbortSignal; readonly kit: Kit },
): Promise<void> {
  // Whoever may not create anything can use a table that is there.
  if (!(await isThere(database, table, signal))) {
    await database.query(creationOf(table), undefined, signal);
  }
  const problem = await problemOf(database, table, signal);
  if (problem === undefined) return;
  throw kit.refusedError(`PostgreSQL: ${problem}; choose another table`);
}

export async function isThere(database: Database, table: Table, signal: AbortSignal): Promise<boolean> {
  return (await columnsOf(database, table, signal)).size > 0;
}

/** Creates what is missing in one transaction; names are checked, so that they cannot end the block. */
function creationOf(table: Table): string {
  const columns = Object.entries(typesOf(table)).map(([name, type]) => `${name} ${type} not null`);
  const needsExtension = table.vectors === 'vector' && table.dimensions !== undefined;
  return `
    select pg_advisory_xact_lock(${LOCK});
    ${needsExtension ? 'create extension if not exists vector;' : ''}
    do $$ begin
      if to_regclass('${table.name}') is null then
        create table ${table.name} (${columns.join(', ')}, primary key (id));
        create index on ${table.name} (document_id);
      end if;
    end $$`;
}

/** The types of the columns that chunks are written to. */
function typesOf({ vectors, dimensions }: Table): Readonly<Record<string, string>> {
  const type = vectors === 'array' ? 'real[]' : `vector(${dimensions})`;
  const types = { id: 'uuid', document_id: 'text', text: 'text', fields: 'jsonb' };
  return dimensions === undefined ? types : { ...types, embedding: type };
}

async function problemOf(database: Database, table: Table, signal: AbortSignal): Promise<string | undefined> {
  const columns = await columnsOf(database, table, signal);
  for (const [name, type] of Object.entries(typesOf(table))) {
    const found = columns.get(name);
    if (found !== type) return `the column ${name} is ${found ?? 'missing'}, but ${type} is needed`;
  }
  if (table.dimensions === undefined) {
    return columns.has('embedding') ? 'the table has vectors, but none were announced' : undefined;
  }
  if (table.vectors === 'vector') return undefined;
  const rows = await database.query<{ dimensions: number }>(
    `select cardinality(embedding) as dimensions from ${table.name} limit 1`,
    [],
    signal,
  );
  const { dimensions = table.dimensions } = rows[0] ?? {};
  if (dimensions === table.dimensions) return undefined;
  return `the table has vectors of dimensions: ${dimensions}, but ${table.dimensions} were announced`;
}

/** The types of the columns by their names; empty if there is no such table. */
async function columnsOf(
  database: Database,
  { name }: Table,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const rows = await database.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = to_regclass($1::text) and attnum > 0 and not attisdropped`,
    [name],
    signal,
  );
  // An extension may be in a schema of its own.
  return new Map(rows.map(({ name, type }) => [name, type.replace(/^.*\./, '')]));
}
