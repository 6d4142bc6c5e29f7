import type { SinkStandIn } from 'chunksmith/testing';
import pg from 'pg';
import type { SinkChunk } from '../../../../core/contracts/sink.ts';
import { noPostgres, type Postgres, startPostgres } from '../../../support/postgres.ts';

interface Row {
  readonly id: string;
  readonly document_id: string;
  readonly text: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly embedding?: string | readonly number[] | null;
}

/** Like `vector` of pgvector in what statements use of it: a length in its name, and numbers in brackets. */
const VECTOR = `
  create type vector;
  create function vector_in(cstring) returns vector language internal immutable strict as 'textin';
  create function vector_out(vector) returns cstring language internal immutable strict as 'textout';
  create function vector_length_in(cstring[]) returns integer language internal immutable strict as 'bittypmodin';
  create function vector_length_out(integer) returns cstring language internal immutable strict as 'bittypmodout';
  create type vector (
    input = vector_in, output = vector_out, typmod_in = vector_length_in, typmod_out = vector_length_out, like = text
  );
  create cast (text as vector) with inout;
  insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
    select 1, 'vector', oid, 'pg_catalog'::regnamespace, false, '0.8.0' from pg_roles where rolname = current_user;`;

/** A database of a real PostgreSQL. */
export interface DatabaseStandIn extends SinkStandIn {
  readonly url: string;
  /** Runs a statement as a superuser. */
  run(text: string): Promise<readonly object[]>;
}

/** A new database, with `real[]` or with a type that stands in for that of pgvector. */
export async function openDatabase(
  postgres: Pick<Postgres, 'freshUrl'>,
  vectors: 'array' | 'vector',
): Promise<DatabaseStandIn> {
  const url = postgres.freshUrl();
  await withClient(url.replace(/[^/]+$/, 'postgres'), (run) =>
    run(`create database ${new URL(url).pathname.slice(1)}`),
  );
  const run = (text: string) => withClient(url, (run) => run(text));
  if (vectors === 'vector') await run(VECTOR);
  return {
    url,
    run,
    env: { PGVECTOR_URL: url },
    options: (table) => ({ table, vectors }),
    chunks: async (table) => ((await withClient(url, (run) => rowsOf(run, table))) as Row[]).map(chunkOf),
    async stop() {},
  };
}

/** A database of a PostgreSQL of its own. */
export async function startDatabase(vectors: 'array' | 'vector'): Promise<DatabaseStandIn | string> {
  if (noPostgres !== false) return noPostgres;
  const endings: (() => unknown)[] = [];
  const postgres = await startPostgres({ teardown: (handler) => endings.push(handler) });
  const stop = async () => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  return { ...(await openDatabase(postgres, vectors)), stop };
}

type Run = (text: string) => Promise<readonly object[]>;

async function withClient(
  connectionString: string,
  use: (run: Run) => Promise<readonly object[]>,
): Promise<readonly object[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await use(async (text) => (await client.query(text)).rows);
  } finally {
    await client.end();
  }
}

async function rowsOf(run: Run, table: string): Promise<readonly object[]> {
  const [found] = await run(`select to_regclass('${table}') is not null as "isThere"`);
  return found !== undefined && 'isThere' in found && found.isThere === true
    ? run(`select * from ${table}`)
    : [];
}

function chunkOf({ embedding = null, ...row }: Row): SinkChunk {
  return { ...row, embedding: typeof embedding === 'string' ? JSON.parse(embedding) : embedding };
}

export default () => startDatabase('array');
