import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { postgresPlace, sqlitePlace } from '../../../support/job-stores.ts';
import { noPostgres, startPostgres } from '../../../support/postgres.ts';
import { type Database, openStore, STEPS } from '../../../support/stores.ts';

/** Processes that write to one database at once; `test/server/corpora/jobs/processes` has those that share jobs. */

const ROUNDS = 40;

async function write<T>(what: string, name: string, { dataDir, databaseUrl }: Database): Promise<T[]> {
  const program = join(import.meta.dirname, 'write-store.ts');
  const args = [program, what, name, String(ROUNDS), dataDir, databaseUrl];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
  return JSON.parse(stdout) as T[];
}

async function sharedCases(t: Test, fresh: () => Promise<Database>): Promise<void> {
  await t.test('processes that open a new database at once all do, and give each name once', async (t) => {
    const database = await fresh();
    const writing = ['a', 'b', 'c'].map((name) => write<string>('create', name, database));
    const results = await Promise.all(writing);
    for (let round = 0; round < ROUNDS; round++) {
      const outcomes = results.map((outcome) => outcome[round]).sort();
      if (outcomes.join() !== 'nothing,pipeline_name_taken,pipeline_name_taken') t.fail(outcomes.join());
    }
    const store = await openStore(t, database);
    t.equal((await store.list({ limit: 1000 })).pipelines.length, ROUNDS);
  });

  await t.test('no change of several processes is lost, with If-Match or of another member', async (t) => {
    const database = await fresh();
    const store = await openStore(t, database);
    const { id } = await store.create({ name: 'shared', description: '0', steps: STEPS });
    const counting = ['a', 'b'].map((name) => write<number>('count', name, database));
    await Promise.all([...counting, write('configure', 'c', database)]);
    const { description, steps, version } = await store.get(id);
    t.equal(description, String(2 * ROUNDS));
    t.same(steps[0]?.config, { round: ROUNDS });
    t.equal(version, 1 + 3 * ROUNDS, 'every update was made');
  });
}

t.test('SQLite', (t) => sharedCases(t, () => sqlitePlace(t)));

t.test('PostgreSQL', { skip: noPostgres }, async (t) => {
  const server = await startPostgres(t);
  await sharedCases(t, async () => postgresPlace(server));
});
