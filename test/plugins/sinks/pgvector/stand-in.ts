import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { type SinkDatabase, sinkDatabase } from './database.ts';

/** PostgreSQL and pgvector, compiled for this process; `processes/` has a server. */
export default async function startPglite(): Promise<SinkDatabase> {
  const db = await PGlite.create({ extensions: { vector } });
  const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0, maxConnections: 100 });
  await server.start();
  let isStopped = false;
  return sinkDatabase(`postgresql://postgres@${server.getServerConn()}/postgres`, 'vector', async () => {
    if (isStopped) return;
    isStopped = true;
    await server.stop();
    await db.close();
  });
}
