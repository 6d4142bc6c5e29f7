import type { Test } from 'tap';
import { ServiceError } from '../../core/errors.ts';
import type { PipelineStep, PipelineStore } from '../../server/store/contract.ts';
import { createDatabase } from '../../server/store/create-database.ts';
import { createPipelineStore } from '../../server/store/pipeline-store.ts';
import { quietLog } from '../../server/testing/collaborators.ts';
import { noPostgres, startPostgres } from './postgres.ts';
import { type Cleanup, temporaryFolder } from './server.ts';

export const STEPS: readonly PipelineStep[] = [
  { type: 'chunk', chunker: 'token', refinery: null, config: { chunk_size: 256 } },
  { type: 'refine', chunker: null, refinery: 'shout', config: { loud: 0.25 } },
];

/** Where a store keeps its pipelines. */
export interface Database {
  readonly dataDir: string;
  readonly databaseUrl: string;
}

/** Opens a store, whose database is closed after the test. */
export async function openStore(t: Cleanup, settings: Database): Promise<PipelineStore> {
  const database = createDatabase(settings, quietLog);
  const store = createPipelineStore(database);
  t.teardown(() => database.close());
  await store.open();
  return store;
}

/** Runs the same tests with SQLite and with PostgreSQL. `fresh` names a database that does not exist yet. */
export async function onBothDatabases(
  t: Test,
  tests: (t: Test, fresh: () => Promise<Database>) => Promise<void>,
): Promise<void> {
  await t.test('SQLite', async (t) => {
    await tests(t, async () => ({ dataDir: `${await temporaryFolder(t)}/data`, databaseUrl: '' }));
  });
  await t.test('PostgreSQL', { skip: noPostgres }, async (t) => {
    const server = await startPostgres(t);
    await tests(t, async () => ({ dataDir: '/nowhere', databaseUrl: server.freshUrl() }));
  });
}

/** How a promise fails: the code of the catalogue, or the error as text; `nothing` if it does not. */
export async function failure(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return error instanceof ServiceError ? error.code : String(error);
  }
  return 'nothing';
}
