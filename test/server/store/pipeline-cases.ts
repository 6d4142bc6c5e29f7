import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import type { PagePosition, PipelineRecord, PipelineStore } from '../../../server/store/contract.ts';
import { createCalls } from '../../../server/store/failures.ts';
import { openOrm } from '../../../server/store/open-database.ts';
import { createRepository } from '../../../server/store/repository.ts';
import { createDatabase, createPipelineStore } from '../../../server/store/stores.ts';
import { quietLog } from '../../../server/testing/collaborators.ts';
import { type Database, failure, openStore, recordStatements, STEPS } from '../../support/stores.ts';

export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/;

const ROW = (number: string, text: string, time: string) =>
  `${text}, 'pipeline ' || ${number}, null, '[]', ${time}, ${time}, 1`;
const FILL_SQLITE = `
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
  insert into pipelines (id, name, description, steps, created_at, updated_at, version)
  select ${ROW('i', "printf('00000000-0000-4000-8000-%012d', i)", "strftime('%Y-%m-%dT%H:%M:%S.', '2026-01-01', (i / 20) || ' seconds') || printf('%06d', i)")}
  from n`;
const FILL_POSTGRESQL = `
  insert into pipelines (id, name, description, steps, created_at, updated_at, version)
  select ${ROW('i', "('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid", "timestamp '2026-01-01' + i * interval '50 milliseconds'")}
  from generate_series(1, 10000) as i`;

function add(store: PipelineStore, name: string = randomUUID()): Promise<PipelineRecord> {
  return store.create({ name, description: null, steps: STEPS });
}

async function readAll(store: PipelineStore, limit: number): Promise<PipelineRecord[][]> {
  const pages: PipelineRecord[][] = [];
  for (let after: PagePosition | undefined, hasMore = true; hasMore; ) {
    const page = await store.list({ limit, after });
    pages.push([...page.pipelines]);
    after = page.pipelines.at(-1);
    hasMore = page.hasMore;
  }
  return pages;
}

/** How many of some works at once ended in which way. */
async function outcomesOf(count: number, work: (index: number) => Promise<unknown>) {
  const outcomes = await Promise.all(Array.from({ length: count }, (_, index) => failure(work(index))));
  return Object.fromEntries(outcomes.map((one) => [one, outcomes.filter((other) => other === one).length]));
}

/** What a store of pipelines promises on any database. @param fresh names one that does not exist yet */
export async function pipelineCases(t: Test, fresh: () => Promise<Database>): Promise<void> {
  const database = await fresh();
  const store = await openStore(t, database);

  await t.test('what was created is read, by any spelling of its id', async (t) => {
    const created = await store.create({ name: 'articles', description: 'of all kinds', steps: STEPS });
    t.match(created, { name: 'articles', description: 'of all kinds', version: 1 });
    t.match(created.created_at, TIME);
    t.equal(created.updated_at, created.created_at);
    t.same(await store.get(created.id), created);
    t.same(await store.get(created.id.toUpperCase()), created);
    t.ok(Math.abs(Date.parse(`${created.created_at}Z`) - Date.now()) < 60_000, 'it is UTC');
  });

  await t.test('texts and steps come back exactly', async (t) => {
    const hostile = "'\"\\\\' ?? ? $1 :a \u2028 e\u0301 é 🧑‍🌾 ﷽ \u202e; drop table pipelines; --";
    const values = [hostile, '\0', '\ud800', '\udfff\ud800', '', { z: 1, a: [null, true, -1.5e-9, 2 ** 60] }];
    const steps = [{ ...(STEPS[0] as (typeof STEPS)[0]), config: { [hostile]: values, z: 1, a: 2 } }];
    const { id } = await store.create({ name: hostile, description: hostile, steps });
    const read = await store.get(id);
    t.equal(read.name, hostile);
    t.equal(read.description, hostile);
    t.equal(JSON.stringify(read.steps), JSON.stringify(steps), 'the order of members too');
    const longest = '🎉'.repeat(255);
    t.equal((await store.get((await add(store, longest)).id)).name, longest);
  });

  await t.test('what is not there is not found', async (t) => {
    for (const id of [randomUUID(), '', 'articles', '0'.repeat(32), "' or 1=1", `${randomUUID()}0`, '\0']) {
      t.equal(await failure(store.get(id)), 'pipeline_not_found', id);
      t.equal(await failure(store.update(id, { description: 'x' })), 'pipeline_not_found');
      t.equal(await failure(store.delete(id)), 'pipeline_not_found');
    }
  });

  await t.test('a name is given once', async (t) => {
    const [first, second] = [await add(store, 'once'), await add(store, 'twice')];
    t.equal(await failure(add(store, 'once')), 'pipeline_name_taken');
    t.equal(await failure(store.update(second.id, { name: 'once' })), 'pipeline_name_taken');
    t.same(await store.get(second.id), second, 'it stays as it was');
    await add(store, 'Once');
    await store.update(first.id, { name: 'free' });
    await add(store, 'once');
    await store.delete(second.id);
    await add(store, 'twice');
  });

  await t.test('the same name 100 times at once is created once', async (t) => {
    const outcomes = await outcomesOf(100, () => add(store, 'wanted'));
    t.same(outcomes, { nothing: 1, pipeline_name_taken: 99 });
  });

  await t.test('an update sets what it gives and leaves the rest', async (t) => {
    const before = await store.create({ name: 'changing', description: 'old', steps: STEPS });
    const named = await store.update(before.id, { name: 'changed' });
    t.same(named, { ...before, name: 'changed', updated_at: named.updated_at, version: 2 });
    t.ok(named.updated_at > before.updated_at);
    t.same(await store.get(before.id), named);
    const emptied = await store.update(before.id, { description: null, steps: [] });
    t.match(emptied, { name: 'changed', description: null, version: 3, created_at: before.created_at });
    t.same(emptied.steps, []);
    t.same(await store.get(before.id), emptied);
  });

  await t.test('an update that changes nothing moves nothing', async (t) => {
    const { id } = await add(store);
    const before = await store.get(id);
    for (const changes of [{}, { name: before.name }, { steps: structuredClone(STEPS), description: null }]) {
      t.same(await store.update(id, changes), before);
    }
    t.same(await store.get(id), before);
  });

  await t.test('a change of another version is refused', async (t) => {
    const { id } = await add(store);
    const changed = await store.update(id, { description: 'a' }, [7, 1]);
    t.equal(await failure(store.update(id, { description: 'b' }, [1])), 'precondition_failed');
    t.equal(await failure(store.update(id, {}, [])), 'precondition_failed');
    t.equal(await failure(store.delete(id, [1, 3])), 'precondition_failed');
    t.same(await store.get(id), changed);
    await store.update(id, { description: 'c' }, '*');
    await store.delete(id, [3]);
    t.equal(await failure(store.delete(id, '*')), 'pipeline_not_found');
  });

  await t.test('of 50 updates of one version at once, one is made', async (t) => {
    const { id, version } = await add(store);
    const update = (index: number) => store.update(id, { description: `${index}` }, [version]);
    t.same(await outcomesOf(50, update), { nothing: 1, precondition_failed: 49 });
    t.equal((await store.get(id)).version, 2);
  });

  await t.test('no update at once with others is lost', async (t) => {
    const { id } = await add(store);
    const changes = Array.from({ length: 8 }, (_, round) => [
      { description: `round ${round}` },
      { name: `${id} ${round}` },
      { steps: [{ ...STEPS[0], config: { round } } as never] },
    ]);
    await Promise.all(changes.flat().map((change) => store.update(id, change)));
    const { name, description, steps, version } = await store.get(id);
    t.match({ name, description, version }, { name: /\d$/, description: /^round \d+$/, version: 25 });
    t.equal(steps.length, 1);
  });

  await t.test('lists come newest first, in pages of any size, each pipeline once', async (t) => {
    const own = await openStore(t, await fresh());
    t.same(await own.list({ limit: 5 }), { pipelines: [], hasMore: false });
    const created: PipelineRecord[] = [];
    for (let index = 0; index < 23; index++) created.unshift(await add(own));
    const times = created.map(({ created_at }) => created_at);
    t.same([...new Set(times)].sort().reverse(), times, 'times rise, and none is there twice');
    for (const limit of [1, 5, 22, 23, 24, 1000]) {
      const pages = await readAll(own, limit);
      t.same(pages.flat(), created, `pages of ${limit}`);
      t.ok(pages.slice(0, -1).every((page) => page.length === limit));
    }
    await own.delete(created[3]?.id as string);
    await own.update(created[7]?.id as string, { description: 'newer' });
    const { pipelines } = await own.list({ limit: 100, after: created[3] as PagePosition });
    t.equal(pipelines[0]?.id, created[4]?.id, 'a page begins after a pipeline that is gone');
    t.equal(pipelines[3]?.id, created[7]?.id, 'an update does not move it');
  });

  await t.test('everything is there when it is opened again', async (t) => {
    const before = (await readAll(store, 1000)).flat();
    const shared = createDatabase(database, quietLog);
    const again = createPipelineStore(shared);
    t.same((await readAll(again, 1000)).flat(), before);
    await again.ping();
    await shared.close();
    t.equal(await failure(again.ping()), 'store_unavailable');
    t.equal(await failure(again.open()), 'store_unavailable');
  });

  await t.test('the migrations make the tables that the code expects', async (t) => {
    const orm = await openOrm(await fresh(), quietLog);
    t.teardown(() => orm.close());
    // The tables of jobs have no entities: their own cases use all their columns.
    const missing = () => orm.schema.getUpdateSchemaSQL({ dropTables: false });
    t.notMatch(await missing(), 'pipelines');
    t.same(await orm.migrator.getPending(), []);
    await orm.migrator.down();
    await orm.migrator.up();
    t.notMatch(await missing(), 'pipelines', 'down and up again');
  });

  await t.test('every statement uses an index, however many pipelines there are', async (t) => {
    const orm = await openOrm(await fresh(), quietLog);
    t.teardown(() => orm.close());
    const connection = orm.em.getConnection();
    const isSqlite = database.databaseUrl === '';
    const explain = isSqlite ? 'explain query plan' : 'explain';
    await connection.execute(isSqlite ? FILL_SQLITE : FILL_POSTGRESQL);
    await connection.execute('analyze');
    const statements = recordStatements(orm);

    const repository = createRepository({ orm, checkFile: async () => {}, calls: createCalls() });
    const first = await repository.list({ limit: 10 });
    const middle = { created_at: '2026-01-01T00:05:00.000000', id: '00000000-0000-4000-8000-000000005000' };
    await repository.list({ limit: 10, after: middle });
    const id = first.pipelines[5]?.id as string;
    await repository.update(id, { description: 'x' });
    await repository.delete(id);
    t.equal(statements.length, 6);
    for (const statement of [...statements]) {
      const plan = JSON.stringify(await connection.execute(`${explain} ${statement}`));
      t.match(plan, isSqlite ? /USING INDEX/ : /Index Scan/, statement);
      t.notMatch(plan, isSqlite ? /TEMP B-TREE|SCAN \w+"/ : /Seq Scan|Sort/, plan);
    }
  });
}
