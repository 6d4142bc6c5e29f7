import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type Kysely } from 'kysely';

/**
 * Runs work in a transaction, which is rolled back if the work throws. All transactions begin here, not in
 * `em.transactional`. If a rollback fails there, kysely 0.29.6 (used by MikroORM 7.2.1) never releases the
 * connection, and the pool runs out: `ControlledTransaction.rollback` has no `finally`. Here a connection is
 * always released, and the pool discards a broken connection.
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
      // If the rollback fails too, the first error is more useful than one about a missing transaction.
      await run('rollback').catch(() => undefined);
      throw error;
    }
  });
}

/** Begins a transaction. On SQLite's only connection, a transaction whose rollback failed may be open. */
async function begin(run: (statement: string) => Promise<unknown>): Promise<void> {
  try {
    await run('begin');
  } catch (error) {
    if (!/within a transaction/.test(String(error))) throw error;
    await run('rollback');
    await run('begin');
  }
}
