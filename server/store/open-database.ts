import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { MikroORM } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Client, Pool, PoolClient } from 'pg';
import type { Log } from '../../core/contracts/collaborators.ts';
import { reasonOf } from '../../core/errors.ts';
import { makeFolder } from '../config/folders.ts';
import { type RetryLimits, withRetries } from '../config/retry.ts';
import type { DatabaseSettings } from './contract.ts';
import { type Database, databaseOf, nameOf } from './database.ts';
import {
  type Calls,
  hasCode,
  isOfFolder,
  isTransient,
  NO_DATABASE,
  reasonOfFailure,
  StoreOpenError,
  unavailable,
} from './failures.ts';
import { MIGRATIONS, PipelineEntity } from './schema.ts';

export type OpenDatabase = Awaited<ReturnType<typeof openDatabase>>;

const WITHOUT_FOLDER =
  ', or start with --store memory, which needs none and loses pipelines when the server stops';
const LOCKS: RetryLimits = { firstDelay: 4, maxDelay: 100, deadline: 5000 };
/** Retries of opening the database if other processes may be creating the tables at the same time. */
const RACES: RetryLimits = { retries: 3, firstDelay: 4, maxDelay: 100 };
/** Milliseconds for which SQLite itself waits for a lock. This wait blocks the event loop. */
const BLOCKING_WAIT = 20;
/** Milliseconds without an answer after which PostgreSQL counts as unreachable. */
export const ANSWER_TIMEOUT = 5000;

/**
 * Opens the database and updates its tables. Creates a missing SQLite file, but not a missing PostgreSQL
 * database, because its name may be misspelt.
 *
 * @throws StoreOpenError
 */
export async function openDatabase(settings: DatabaseSettings, log: Log, calls: Calls) {
  const database = databaseOf(settings);
  try {
    const orm = await openOrm(settings, log);
    const checkFile = database.kind === 'file' ? await expectSameFile(database.path) : async () => {};
    const ends: (() => Promise<void>)[] = [];
    let isClosed = false;
    return {
      database,
      orm,
      /**
       * Runs statements; use `fork()` for a transaction. The cast is needed because the ORM's common type
       * does not show that both databases use SQL.
       */
      em: orm.em as SqlEntityManager,
      /** Throws `store_unavailable` if the file is gone, so that written data would be lost. */
      checkFile,
      calls,
      /**
       * Registers work to do before the connections are closed.
       *
       * @throws ServiceError `store_unavailable` if the connections are already closed
       */
      onClose(end: () => Promise<void>): void {
        if (isClosed) throw unavailable('the server is stopping');
        ends.push(end);
      },
      async close(): Promise<void> {
        isClosed = true;
        for (const end of ends) await end();
        await orm.close(true);
      },
    };
  } catch (error) {
    if (error instanceof StoreOpenError) throw error;
    const reason = error instanceof MigrationConflict ? error.message : reasonOfFailure(error);
    if (reason === undefined) throw error;
    const remedy = database.kind === 'file' && isOfFolder(reason) ? WITHOUT_FOLDER : '';
    throw new StoreOpenError(`Cannot open the database, ${nameOf(database)}: ${reason}${remedy}.`, {
      cause: error,
    });
  }
}

export async function openOrm(settings: DatabaseSettings, log: Log): Promise<MikroORM> {
  const database = databaseOf(settings);
  return withRetries(RACES, { isTransient: isLostRace }, () =>
    withRetries(LOCKS, { isTransient }, () => openUpToDate(database, log)),
  );
}

/** Whether another process may have caused the failure, because no other reason is known. */
const isLostRace = (error: unknown): boolean =>
  !(error instanceof StoreOpenError) && reasonOfFailure(error) === undefined;

async function openUpToDate(database: Database, log: Log): Promise<MikroORM> {
  const orm =
    database.kind === 'postgresql'
      ? await openPostgreSql(database.url, log)
      : await openSqlite(database.kind === 'memory' ? ':memory:' : database.path, log);
  try {
    if (database.kind === 'postgresql') await expectDatabase(orm as MikroORM, database.url);
    else await prepareFile(orm as MikroORM);
    await updateTables(orm as MikroORM);
    return orm;
  } catch (error) {
    await orm.close(true).catch(() => {});
    throw error;
  }
}

/** The tables have the changes of a migration without its record. Another process may be about to add it. */
class MigrationConflict extends Error {}

const EXISTS = /already exists|duplicate column/i;

/** @throws MigrationConflict */
async function updateTables(orm: MikroORM): Promise<void> {
  try {
    await orm.migrator.up();
  } catch (error) {
    if (reasonOfFailure(error) !== undefined || !EXISTS.test(reasonOf(error))) throw error;
    const [pending] = await orm.migrator.getPending();
    const name = pending?.name ?? '';
    throw new MigrationConflict(
      `it has the tables or columns of the migration ${name}, but no record of it in the table mikro_orm_migrations; restore it from a backup, or, if nothing else is missing, add the record: insert into mikro_orm_migrations (name) values ('${name}')`,
      { cause: error },
    );
  }
}

/** Refuses a missing database. Otherwise the ORM would create it. @throws StoreOpenError */
async function expectDatabase(orm: MikroORM, databaseUrl: string): Promise<void> {
  try {
    await (orm.em as SqlEntityManager).getConnection().execute('select 1');
  } catch (error) {
    if (!hasCode(error, NO_DATABASE)) throw error;
    const { pathname, hostname, port, username } = new URL(databaseUrl);
    const user = username === '' ? '' : ` --username ${decodeURIComponent(username)}`;
    const command = `createdb --host ${hostname} --port ${port || '5432'}${user} --encoding UTF8 ${decodeURIComponent(pathname.slice(1))}`;
    throw new StoreOpenError(
      `Cannot open the database: it does not exist; correct DATABASE_URL, or create it with: ${command}`,
      { cause: error },
    );
  }
}

async function openSqlite(dbName: string, log: Log): Promise<MikroORM> {
  if (dbName !== ':memory:') await makeFolder(dirname(dbName));
  const { MikroORM } = await import('@mikro-orm/sqlite');
  return MikroORM.init({ ...common(log), dbName, driverOptions: { timeout: BLOCKING_WAIT } });
}

async function prepareFile(orm: MikroORM): Promise<void> {
  const connection = (orm.em as SqlEntityManager).getConnection();
  await connection.execute('pragma journal_mode = wal');
  // Makes sure that acknowledged changes survive a power failure.
  await connection.execute('pragma synchronous = full');
  // Writes without changing anything, so that a read-only file is detected now.
  await connection.execute('pragma user_version = 1');
}

async function openPostgreSql(databaseUrl: string, log: Log): Promise<MikroORM> {
  const { protocol } = URL.parse(databaseUrl) ?? {};
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') {
    throw new StoreOpenError(
      'DATABASE_URL: expected a URL such as postgresql://user:password@host:5432/database.',
    );
  }
  const { MikroORM } = await import('@mikro-orm/postgresql');
  return MikroORM.init({
    ...common(log),
    clientUrl: databaseUrl,
    ensureDatabase: false,
    driverOptions: {
      connectionTimeoutMillis: ANSWER_TIMEOUT,
      query_timeout: ANSWER_TIMEOUT,
      application_name: 'chunksmith',
      onPoolCreated: discardUnanswered,
    },
  });
}

/** Closes connections whose last statement is unanswered. Otherwise their next user would have to wait. */
function discardUnanswered(pool: Pool): void {
  pool.on('release', (_error, client) => {
    const { readyForQuery } = client as PoolClient & { readonly readyForQuery?: boolean };
    if (readyForQuery === false) void (client as unknown as Client).end().catch(() => undefined);
  });
}

function common(log: Log) {
  return {
    entities: [PipelineEntity],
    extensions: [Migrator],
    migrations: { migrationsList: MIGRATIONS, snapshot: false },
    logger: (message: string) => log.debug({}, message),
    colors: false,
  };
}

/**
 * Detects that the file was deleted or moved. SQLite would continue to write to the lost file, and all data
 * would be lost when the process ends.
 *
 * @returns a check that throws `store_unavailable` if the file at the path is gone or was replaced
 */
async function expectSameFile(path: string): Promise<() => Promise<void>> {
  const opened = await stat(path, { bigint: true });
  return async () => {
    const found = await stat(path, { bigint: true }).catch(() => undefined);
    if (found?.ino === opened.ino && found.dev === opened.dev) return;
    throw unavailable('its file was deleted or moved away; put it back, or restart the server');
  };
}
