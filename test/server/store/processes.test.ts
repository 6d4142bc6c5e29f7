import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { type Database, onBothDatabases, openStore, STEPS } from '../../support/stores.ts';

const WRITER = join(import.meta.dirname, '../..', 'support', 'write-store.ts');
const ROUNDS = 60;
const run = promisify(execFile);

async function write<T>(what: string, name: string, { dataDir, databaseUrl }: Database): Promise<T[]> {
  const args = [WRITER, what, name, String(ROUNDS), dataDir, databaseUrl];
  const { stdout } = await run(process.execPath, args, { timeout: 60_000 });
  return JSON.parse(stdout) as T[];
}

await onBothDatabases(t, async (t, fresh) => {
  await t.test(
    'processes that open a new database at once all open it, and give each name once',
    async (t) => {
      const database = await fresh();
      const results = await Promise.all(
        ['a', 'b', 'c'].map((name) => write<string>('create', name, database)),
      );
      for (let round = 0; round < ROUNDS; round++) {
        const outcomes = results.map((outcome) => outcome[round]).sort();
        if (outcomes.join() !== 'nothing,pipeline_name_taken,pipeline_name_taken') t.fail(outcomes.join());
      }
      const store = await openStore(t, database);
      t.equal((await store.list({ limit: 1000 })).pipelines.length, ROUNDS);
    },
  );

  await t.test('two processes that count with If-Match lose no count', async (t) => {
    const database = await fresh();
    const store = await openStore(t, database);
    const { id } = await store.create({ name: 'shared', description: '0', steps: STEPS });
    const refused = await Promise.all(['a', 'b'].map((name) => write<number>('count', name, database)));
    t.match(await store.get(id), { description: String(2 * ROUNDS), version: 1 + 2 * ROUNDS });
    t.comment(`${refused.flat().reduce((sum, count) => sum + count, 0)} changes were refused and made again`);
  });

  await t.test('two processes that set different members keep both, without If-Match', async (t) => {
    const database = await fresh();
    const store = await openStore(t, database);
    const { id } = await store.create({ name: 'shared', description: '', steps: STEPS });
    await Promise.all([write('describe', 'a', database), write('configure', 'b', database)]);
    const { description, steps, version } = await store.get(id);
    t.equal(description, String(ROUNDS));
    t.same(steps[0]?.config, { round: ROUNDS });
    t.equal(version, 1 + 2 * ROUNDS, 'every update was made');
  });
});
