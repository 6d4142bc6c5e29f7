import { setTimeout as sleep } from 'node:timers/promises';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type Kysely } from 'kysely';
import { ServiceError } from '../../core/errors.ts';
import { type RetryLimits, withRetries } from '../config/retry.ts';
import { unavailable } from './errors.ts';
import { asStoreUnavailable } from './failures.ts';

/** How long temporary failures are retried. */
const RETRIES: RetryLimits = { firstDelay: 4, longestDelay: 100, patience: 5000 };
/** Milliseconds after which a caller gets an error, even if the database has not answered. */
const MOST_WAITING = 30_000;
/** Milliseconds after which an unfinished call means that the store is stuck. */
const STUCK_AFTER = 60_000;

/** The calls of a database that are in progress. */
export interface Calls {
  /**
   * Makes a call, retrying temporary failures.
   *
   * @throws ServiceError `store_unavailable` if the database cannot be used, or does not answer
   */
  make<T>(isPassing: (error: unknown) => boolean, work: () => Promise<T>): Promise<T>;
  /** Whether a call has been in progress for a minute. */
  areStuck(): boolean;
}

/** @param now milliseconds of a monotonic clock */
export function createCalls(now: () => number = () => performance.now(), mostWaiting = MOST_WAITING): Calls {
  const begun = new Set<{ readonly at: number }>();
  return {
    async make(isPassing, work) {
      const call = { at: now() };
      begun.add(call);
      const result = withRetries(RETRIES, { isPassing }, work).finally(() => begun.delete(call));
      try {
        return await within(mostWaiting, result);
      } catch (error) {
        throw error instanceof ServiceError ? error : asStoreUnavailable(error);
      }
    },
    areStuck() {
      const [oldest] = begun;
      return oldest !== undefined && now() - oldest.at > STUCK_AFTER;
    },
  };
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const late = sleep(milliseconds, undefined, { signal: timer.signal, ref: false }).then(() => {
    throw unavailable('it has not answered in time');
  });
  // Nobody awaits the one that settles second.
  late.catch(() => undefined);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
}

/**
 * Runs work in a transaction, which is rolled back if it throws. This is the only place that begins one.
 * Not `em.transactional`: if the rollback fails too, because the disk is full or the connection has ended, kysely
 * 0.29.6 (below MikroORM 7.2.1) never releases the connection of the transaction, and the pool runs out of them
 * (`ControlledTransaction.rollback` releases after the statement, without `finally`). A connection reserved by
 * `connection()` is always released, and the pool discards it if it is broken.
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

/** SQLite has one connection: a transaction that could not be rolled back is still open on it. */
async function begin(run: (statement: string) => Promise<unknown>): Promise<void> {
  try {
    await run('begin');
  } catch (error) {
    if (!/within a transaction/.test(String(error))) throw error;
    await run('rollback');
    await run('begin');
  }
}
