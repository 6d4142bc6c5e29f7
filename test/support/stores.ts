import type { MikroORM } from '@mikro-orm/core';
import type { PipelineStep } from '../../core/contracts/pipeline.ts';
import { ServiceError } from '../../core/errors.ts';
import type { PipelineStore } from '../../server/store/contract.ts';
import { createDatabase, createPipelineStore } from '../../server/store/stores.ts';
import { quietLog } from '../../server/testing/collaborators.ts';
import type { Cleanup } from './server.ts';

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

/** The statements that are sent to a database from now on, with their values. */
export function recordStatements(orm: MikroORM): string[] {
  const [connection, platform] = [orm.em.getConnection(), orm.em.getPlatform()];
  const execute = connection.execute.bind(connection);
  const statements: string[] = [];
  connection.execute = ((sql: unknown, params: unknown[] = [], ...rest: never[]) => {
    if (typeof sql === 'string') statements.push(platform.formatQuery(sql, params));
    return execute(sql as string, params as never, ...rest);
  }) as typeof connection.execute;
  return statements;
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
