import type { Factory } from '../../../core/contracts/plugin.ts';
import type { SinkCollection } from '../../../core/contracts/sink.ts';
import { Database } from './database.ts';
import type manifest from './manifest.ts';
import { deletionOf, firstWithNul, removalOf, upsertOf } from './statements.ts';
import { isThere, prepareTable, tableOf } from './table.ts';

const MOST = { chunks: 1000, bytes: 8_000_000 };
/** A collection is written to by few documents at once. */
const POOL = { max: 4, connectionTimeoutMillis: 10_000, idleTimeoutMillis: 10_000 };

const createPgvectorSink: Factory<typeof manifest> = async ({ env, kit }) => {
  const { default: pg } = await import('pg');
  const connect = () => new Database(new pg.Pool({ ...POOL, connectionString: env.PGVECTOR_URL }), kit);
  return {
    async open({ options, dimensions }, { signal }): Promise<SinkCollection> {
      const database = connect();
      const table = tableOf(options, dimensions);
      try {
        await prepareTable(database, table, { signal, kit });
      } catch (error) {
        await database.close();
        throw error;
      }
      return {
        async upsert(chunks, { signal }) {
          const broken = firstWithNul(chunks);
          if (broken !== undefined) {
            throw kit.exposedError(
              `PostgreSQL cannot store the character NUL, which the chunk ${broken.id} has`,
            );
          }
          for (const batch of kit.batchChunks(chunks, { ...MOST, dimensions })) {
            const { text, values } = upsertOf(table, batch);
            await database.query(text, values, signal);
          }
        },
        async deleteMissing(documentId, keptIds, { signal }) {
          const { text, values } = deletionOf(table, documentId, keptIds);
          await database.query(text, values, signal);
        },
        close: () => database.close(),
      };
    },
    async removeDocuments(documentIds, options, { signal }) {
      const database = connect();
      const table = tableOf(options, undefined);
      try {
        if (!(await isThere(database, table, signal))) return;
        const { text, values } = removalOf(table, documentIds);
        await database.query(text, values, signal);
      } finally {
        await database.close();
      }
    },
  };
};

export default createPgvectorSink;
