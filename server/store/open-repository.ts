import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { MikroORM } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import type { Log } from '../../core/contracts.ts';
import type { Config } from '../config.ts';
import { createClock } from './clock.ts';
import { isTransient, reasonOfFailure, StoreOpenError } from './failures.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { PipelineEntity } from './pipeline-entity.ts';
import { createRepository, type Repository } from './repository.ts';
import { retry } from './retry.ts';
import { expectSameFile } from './same-file.ts';

type Place = Pick<Config, 'dataDir' | 'databaseUrl'>;

/** Milliseconds that a lock of another process is waited for. */
const OPEN_PATIENCE = 1000;
/** Milliseconds that SQLite itself may wait for a lock; it does so on the event loop. */
const BLOCKING_WAIT = 20;
/** Milliseconds after which PostgreSQL is taken not to answer. */
const ANSWER_PATIENCE = 5000;

/**
 * Opens the database, creates it where there is none and brings its tables up to date.
 *
 * @throws StoreOpenError
 */
export async function openRepository(place: Place, log: Log): Promise<Repository> {
  try {
    const orm = await openOrm(place, log);
    const checkPlace =
      place.databaseUrl === '' ? await expectSameFile(fileOf(place.dataDir)) : async () => {};
    return createRepository(orm, createClock(), checkPlace);
  } catch (error) {
    if (error instanceof StoreOpenError) throw error;
    const reason = reasonOfFailure(error);
    if (reason === undefined) throw error;
    throw new StoreOpenError(`Cannot open the store of pipelines, ${nameOf(place)}: ${reason}.`, {
      cause: error,
    });
  }
}

const fileOf = (dataDir: string): string => join(resolve(dataDir), 'chunksmith.db');

/** The database as its users know it, without a password. */
function nameOf({ dataDir, databaseUrl }: Place): string {
  if (databaseUrl === '') return fileOf(dataDir);
  const { host, pathname } = new URL(databaseUrl);
  return `PostgreSQL at ${host}${pathname}`;
}

export async function openOrm(place: Place, log: Log): Promise<MikroORM> {
  // Several processes may do this at once: who comes second fails, and finds the work done. It begins anew
  // with another connection: after a failed `create database` the ORM's own stays with the maintenance one.
  let tries = 0;
  return retry(
    () => openUpToDate(place, log),
    (error) => isTransient(error) || (!(error instanceof StoreOpenError) && tries++ < 3),
    OPEN_PATIENCE,
  );
}

async function openUpToDate({ dataDir, databaseUrl }: Place, log: Log): Promise<MikroORM> {
  const orm = databaseUrl === '' ? await openSqlite(dataDir, log) : await openPostgreSql(databaseUrl, log);
  try {
    await orm.migrator.up();
    return orm;
  } catch (error) {
    await orm.close(true).catch(() => {});
    throw error;
  }
}

async function openSqlite(dataDir: string, log: Log): Promise<MikroORM> {
  await mkdir(dataDir, { recursive: true });
  const { MikroORM } = await import('@mikro-orm/sqlite');
  const dbName = fileOf(dataDir);
  const orm = await MikroORM.init({ ...common(log), dbName, driverOptions: { timeout: BLOCKING_WAIT } });
  try {
    await retry(() => prepareFile(orm), isTransient, OPEN_PATIENCE);
    return orm;
  } catch (error) {
    await orm.close(true).catch(() => {});
    throw error;
  }
}

async function prepareFile(orm: MikroORM): Promise<void> {
  const connection = orm.em.getConnection();
  await connection.execute('pragma journal_mode = wal');
  // What was answered stays, also when the machine loses its power.
  await connection.execute('pragma synchronous = full');
  // A write that changes nothing: a file that cannot be written to is found out now.
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
    driverOptions: {
      connectionTimeoutMillis: ANSWER_PATIENCE,
      query_timeout: ANSWER_PATIENCE,
      application_name: 'chunksmith',
    },
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
