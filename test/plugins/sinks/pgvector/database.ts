import pg from 'pg';
import type { SinkChunk } from '../../../../core/contracts/sink.ts';
import { parseExactJson } from '../../../../plugins/toolkit/json/exact-json.ts';
import { withRetries } from '../../../../server/config/retry.ts';

interface Row {
  readonly id: string;
  readonly document_id: string;
  readonly text: string;
  /** The text of its JSON. */
  readonly fields: string;
  readonly embedding?: string | readonly number[] | null;
}

/** A database that chunks are stored in. */
export type SinkDatabase = ReturnType<typeof sinkDatabase>;

export function sinkDatabase(
  url: string,
  vectors: 'array' | 'vector',
  stop: () => Promise<unknown> = async () => {},
) {
  const runOnce = async (text: string) => {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return (await client.query(text)).rows as readonly object[];
    } finally {
      await client.end();
    }
  };
  // PGlite's socket (0.2.17) ends a new connection now and then while another one is closed.
  const rules = { isTransient: (error: unknown) => /terminated unexpectedly/.test(String(error)) };
  const run = (text: string) =>
    withRetries({ retries: 3, firstDelay: 20, maxDelay: 200 }, rules, () => runOnce(text));
  return {
    url,
    /** Runs a statement as a superuser. */
    run,
    env: { PGVECTOR_URL: url },
    options: (table: string) => ({ table, vectors }),
    async chunks(table: string) {
      const found = await run(`select from pg_tables where tablename = '${table}'`);
      return found.length === 0
        ? []
        : ((await run(`select *, fields::text from ${table}`)) as Row[]).map(chunkOf);
    },
    stop: async () => void (await stop()),
  };
}

function chunkOf({ embedding = null, fields, ...row }: Row): SinkChunk {
  const numbers = typeof embedding === 'string' ? (JSON.parse(embedding) as number[]) : embedding;
  return {
    ...row,
    fields: parseExactJson(fields) as SinkChunk['fields'],
    embedding: numbers === null ? null : Float32Array.from(numbers),
  };
}
