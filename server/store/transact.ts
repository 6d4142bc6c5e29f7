import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type Kysely } from 'kysely';

/**
 * Runs work in a transaction, which is rolled back if the work throws. All transactions begin here.
 * `em.transactional` is not used: if the rollback fails too, kysely 0.29.6 (below MikroORM 7.2.1) never releases
 * the connection, and the pool runs out (`ControlledTransaction.rollback` releases after the statement, without
 * `finally`). A connection from `connection()` is always released, and the pool discards it if it is broken.
 */
export function transact<T>(em: SqlEntityManager, work: (tx: SqlEntityManager) => Promise<T>): Promise<T> {
  const database: Kysely<unknown> = em.getConnection().getClient();
  return database.connection().execute(async (connection) => {
    const run = (statement: string) => connection.executeQuery(CompiledQuery.raw(statement));
    const tx = em.fork();
    tx.setTransactionContext(connection);
    await begin(run);
    try {
      const result = await work(tx);
      await run('commit');
      return result;
    } catch (error) {
      // The original error is more useful than one saying that there is nothing to roll back.
      await run('rollback').catch(() => undefined);
      throw error;
    }
  });
}

/** SQLite has only one connection. A transaction that could not be rolled back is still open on it. */
async function begin(run: (statement: string) => Promise<unknown>): Promise<void> {
  try {
    await run('begin');
  } catch (error) {
    if (!/within a transaction/.test(String(error))) throw error;
    await run('rollback');
    await run('begin');
  }
}
