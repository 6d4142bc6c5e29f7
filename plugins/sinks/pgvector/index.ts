import {
  embeddedText,
  exposedError,
  type Factory,
  reasonOf,
  refusedError,
  type SinkChunk,
  type SinkCollection,
} from '../../../core/kit.ts';
import { batchChunks } from '../../toolkit/chunk-batches.ts';
import { vectorsProblem } from '../../toolkit/hosted-sink.ts';
import { vectorJson } from '../../toolkit/json/index.ts';
import { Database, isTooLong, type Statement } from './database.ts';
import type manifest from './manifest.ts';
import {
  columnOf,
  creationOfSearch,
  indexOf,
  SEARCH_TEXT,
  searchProblemOf,
  signatureOf,
  type TextSearch,
  wordsOf,
} from './text-search.ts';

interface Table {
  /** The quoted name, including the schema. */
  readonly name: string;
  readonly vectors: 'vector' | 'array';
  readonly dimensions: number | undefined;
  readonly search: TextSearch | undefined;
}

/** @param options are validated: names contain only letters, digits and underscores */
function tableOf(options: Readonly<Record<string, unknown>>, dimensions: number | undefined): Table {
  const [schema, own] = [quoted(options.schema), String(options.table)];
  const name = `${schema}.${quoted(own)}`;
  const vectors = options.vectors === 'array' ? 'array' : 'vector';
  if (options.text_search !== true) return { name, vectors, dimensions, search: undefined };
  const search = {
    table: name,
    language: String(options.language),
    searcher: own.length > MAX_SEARCHED_NAME ? undefined : `${schema}.${quoted(`${own}_search`)}`,
    hasVectors: vectors === 'vector' && dimensions !== undefined,
  };
  return { name, vectors, dimensions, search };
}

/** PostgreSQL cuts names after 63 bytes, so the functions of two longer names could be the same. */
const MAX_SEARCHED_NAME = 63 - '_search'.length;

const quoted = (name: unknown): string => `"${String(name).replaceAll('"', '""')}"`;

/** The key of the advisory lock for creating tables. */
const LOCK = 7_238_105;

/**
 * Ensures that the table exists with the columns of `table`, and with an index for documents.
 *
 * @throws Error for callers if an existing table has other columns
 */
async function prepareTable(database: Database, table: Table, signal: AbortSignal): Promise<void> {
  // No table is created if it exists: the user may lack the right to create tables.
  if (!(await isThere(database, table, signal))) {
    await database.query({ text: creationOf(table) }, signal);
  }
  const columns = await columnsOf(database, table, signal);
  const problem = await problemOf(database, table, columns, signal);
  if (problem !== undefined) throw refusedError(`PostgreSQL: ${problem}; choose another table`);
  const unsearchable = table.search && searchProblemOf(table.search, columns.get(SEARCH_TEXT));
  if (unsearchable !== undefined) throw refusedError(`PostgreSQL: ${unsearchable}`);
  if (table.search !== undefined) await createSearch(database, table.search, signal);
}

/** Creates the search function if it is missing. A role without the right to create functions goes on without it. */
async function createSearch(database: Database, search: TextSearch, signal: AbortSignal): Promise<void> {
  const signature = signatureOf(search);
  if (signature === undefined) return;
  const text = 'select to_regprocedure($1::text) is null as missing';
  const [row] = await database.query<{ missing: boolean }>({ text, values: [signature] }, signal);
  if (row?.missing === false) return;
  const block = `
    select pg_advisory_xact_lock(${LOCK});
    do $do$ begin
      if to_regprocedure('${signature}') is null then
        ${creationOfSearch(search)};
      end if;
    exception when insufficient_privilege then null;
    end $do$`;
  await database.query({ text: block }, signal);
}

async function isThere(database: Database, table: Table, signal: AbortSignal): Promise<boolean> {
  return (await columnsOf(database, table, signal)).size > 0;
}

/** SQL that creates missing objects in one transaction. Names are validated, so they cannot end its block. */
function creationOf(table: Table): string {
  const { search } = table;
  const columns = Object.entries(typesOf(table)).map(([name, type]) => `${name} ${type} not null`);
  const all = [...columns, ...(search === undefined ? [] : [columnOf(search)]), 'primary key (id)'];
  const needsExtension = table.vectors === 'vector' && table.dimensions !== undefined;
  return `
    select pg_advisory_xact_lock(${LOCK});
    ${needsExtension ? 'create extension if not exists vector;' : ''}
    do $$ begin
      if to_regclass('${table.name}') is null then
        create table ${table.name} (${all.join(', ')});
        create index on ${table.name} (document_id);
        ${search === undefined ? '' : `create index ${indexOf(search)};`}
      end if;
    end $$`;
}

function typesOf({ vectors, dimensions }: Table): Readonly<Record<string, string>> {
  const type = vectors === 'array' ? 'real[]' : `vector(${dimensions})`;
  const types = { id: 'uuid', document_id: 'text', text: 'text', fields: 'jsonb' };
  return dimensions === undefined ? types : { ...types, embedding: type };
}

async function problemOf(
  database: Database,
  table: Table,
  columns: Columns,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const [name, type] of Object.entries(typesOf(table))) {
    const found = columns.get(name)?.type;
    if (found !== type) return `the column ${name} is ${found ?? 'missing'}, but ${type} is needed`;
  }
  if (table.dimensions === undefined) {
    return columns.has('embedding') ? 'the table has vectors, but the chunks have none' : undefined;
  }
  if (table.vectors === 'vector') return undefined;
  const text = `select cardinality(embedding) as dimensions from ${table.name} limit 1`;
  const rows = await database.query<{ dimensions: number }>({ text, values: [] }, signal);
  const { dimensions = table.dimensions } = rows[0] ?? {};
  if (dimensions === table.dimensions) return undefined;
  return vectorsProblem('the table has', dimensions, table.dimensions);
}

type Columns = ReadonlyMap<string, Column>;

async function columnsOf(database: Database, { name }: Table, signal: AbortSignal): Promise<Columns> {
  const text = `
    select attname as name, format_type(atttypid, atttypmod) as type, pg_get_expr(adbin, adrelid) as expression
    from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attrelid = to_regclass($1::text) and attnum > 0 and not attisdropped`;
  const rows = await database.query<Column & { name: string }>({ text, values: [name] }, signal);
  // The schema of a type is removed, because an extension may be in its own schema.
  return new Map(rows.map((row) => [row.name, { ...row, type: row.type.replace(/^.*\./, '') }]));
}

function upsertOf({ name, vectors, dimensions }: Table, chunks: readonly SinkChunk[]): Statement {
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

function literalOf(vector: Float32Array, vectors: Table['vectors']): string {
  const json = vectorJson(vector);
  return vectors === 'array' ? `{${json.slice(1, -1)}}` : json;
}

/** Writes chunks with distinct ids. @throws Error for callers if a chunk is too long for a `tsvector` */
async function writeChunks(
  database: Database,
  table: Table,
  chunks: readonly SinkChunk[],
  signal: AbortSignal,
): Promise<void> {
  try {
    await database.query(upsertOf(table, chunks), signal);
  } catch (error) {
    if (table.search === undefined || !isTooLong(error)) throw error;
    const query = (statement: Statement) => database.query(statement, signal);
    const { id } = await firstTooLong(table.search, chunks, query);
    throw exposedError(`${reasonOf(error)}, in the chunk ${id}: make chunks smaller`, error);
  }
}

interface Column {
  readonly type: string;
  /** The expression of a computed column; null for any other column. */
  readonly expression: string | null;
}

/**
 * Finds the first chunk too long for a `tsvector` by bisection. At least one chunk must be too long.
 *
 * @param query runs a statement that stores nothing
 */
async function firstTooLong(
  search: TextSearch,
  chunks: readonly SinkChunk[],
  query: (statement: Statement) => Promise<unknown>,
): Promise<SinkChunk> {
  const [first, ...others] = chunks as readonly [SinkChunk, ...SinkChunk[]];
  if (others.length === 0) return first;
  const half = chunks.slice(0, Math.ceil(chunks.length / 2));
  const words = `count(${wordsOf(search.language, 'given')})`;
  const texts = half.map(({ text, fields }) => embeddedText(text, fields.context));
  const statement = { text: `select ${words} from unnest($1::text[]) as given`, values: [texts] };
  const hasIt = await query(statement).then(
    () => false,
    (error: unknown) => {
      if (isTooLong(error)) return true;
      throw error;
    },
  );
  return firstTooLong(search, hasIt ? half : chunks.slice(half.length), query);
}

function deletionOf({ name }: Table, documentId: string, keptIds: readonly string[]): Statement {
  const text = `
    delete from ${name} as stored where document_id = $1
      and not exists (select from unnest($2::uuid[]) as kept (id) where kept.id = stored.id)`;
  return { text, values: [documentId, keptIds] };
}

function removalOf({ name }: Table, documentIds: readonly string[]): Statement {
  return { text: `delete from ${name} where document_id = any($1::text[])`, values: [documentIds] };
}

/** The character NUL, escaped in JSON. A backslash that is itself escaped does not begin an escape. */
const ESCAPED_NUL = /(?:^|[^\\])(?:\\\\)*\\u0000/;

/** The first chunk that contains the character NUL, which PostgreSQL cannot store. */
function firstWithNul(chunks: readonly SinkChunk[]): SinkChunk | undefined {
  return chunks.find(
    ({ document_id, text, fields }) =>
      text.includes('\0') || document_id.includes('\0') || ESCAPED_NUL.test(JSON.stringify(fields)),
  );
}

const MAX_BATCH = { chunks: 1000, bytes: 8_000_000 };
/** The pool is small, because few documents are written to a collection at a time. */
const POOL = { max: 4, connectionTimeoutMillis: 10_000, idleTimeoutMillis: 10_000 };

const createPgvectorSink: Factory<typeof manifest> = async ({ env }) => {
  const { default: pg } = await import('pg');
  const connect = () => new Database(new pg.Pool({ ...POOL, connectionString: env.PGVECTOR_URL }));
  return {
    async open({ options, dimensions }, { signal }): Promise<SinkCollection> {
      const database = connect();
      const table = tableOf(options, dimensions);
      try {
        await prepareTable(database, table, signal);
      } catch (error) {
        await database.close();
        throw error;
      }
      return {
        async upsert(chunks, { signal }) {
          const broken = firstWithNul(chunks);
          if (broken !== undefined) {
            throw exposedError(
              `PostgreSQL cannot store the character NUL, which the chunk ${broken.id} contains`,
            );
          }
          for (const batch of batchChunks(chunks, { ...MAX_BATCH, dimensions }))
            await writeChunks(database, table, batch, signal);
        },
        async deleteMissing(documentId, keptIds, { signal }) {
          await database.query(deletionOf(table, documentId, keptIds), signal);
        },
        close: () => database.close(),
      };
    },
    async removeDocuments(documentIds, options, { signal }) {
      const database = connect();
      const table = tableOf(options, undefined);
      try {
        if (await isThere(database, table, signal))
          await database.query(removalOf(table, documentIds), signal);
      } finally {
        await database.close();
      }
    },
  };
};

export default createPgvectorSink;
