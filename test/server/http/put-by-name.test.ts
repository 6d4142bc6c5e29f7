import t from 'tap';
import { putByName } from '../../../server/http/pipelines/routes.ts';
import { sqlitePlace } from '../../support/job-stores.ts';
import { openStore, STEPS } from '../../support/stores.ts';

/** Storing a pipeline by its name; `test/server/http/pipelines.test.ts` has the routes. */

const database = await sqlitePlace(t);
const [store, other] = [await openStore(t, database), await openStore(t, database)];
const draft = (name: string, description: string | null = null) => ({ name, description, steps: STEPS });
const named = async (name: string) => (await store.list({ limit: 9, name })).pipelines;

t.test('the list of one name has the pipeline of exactly this name, or none', async (t) => {
  const created = await store.create(draft('Articles'));
  await store.create(draft('articles'));
  t.same(await store.list({ limit: 1, name: 'Articles' }), { pipelines: [created], hasMore: false });
  for (const name of ['ARTICLES', 'Article', 'Articles ', '%', "' or 1=1"]) t.same(await named(name), []);
  t.same((await store.list({ limit: 1, name: 'Articles', after: created })).pipelines, []);
});

t.test('of those who put one name at once, one creates it and the others update it', async (t) => {
  const puts = Array.from({ length: 20 }, (_, index) =>
    putByName(index % 2 ? store : other, draft('wanted', `${index}`)),
  );
  const all = await Promise.all(puts);
  t.equal(all.filter(({ isNew }) => isNew).length, 1);
  const versions = all.map(({ record }) => record.version).sort((a, b) => a - b);
  const expected = [...puts.keys()].map((index) => index + 1);
  t.same(versions, expected, 'each made a version of its own');
});

/** The store, in which a pipeline is changed by somebody else just before it is updated. */
const overtaken = (change: () => Promise<unknown>): typeof store => {
  const update: typeof store.update = async (...given) => {
    await change().catch(() => {});
    return store.update(...given);
  };
  return Object.assign(Object.create(store), { update });
};

t.test('a pipeline that is renamed meanwhile keeps its new name and members', async (t) => {
  const { id } = await store.create(draft('before', 'old'));
  const renaming = overtaken(() => other.update(id, { name: 'after' }));
  const { record, isNew } = await putByName(renaming, draft('before', 'new'));
  t.equal(isNew, true);
  t.not(record.id, id);
  t.match(await store.get(id), { name: 'after', description: 'old' });
});

t.test('a pipeline that is deleted meanwhile is created again', async (t) => {
  const { id } = await store.create(draft('deleted', 'old'));
  const deleting = overtaken(() => other.delete(id));
  t.match(await putByName(deleting, draft('deleted', 'new')), { isNew: true, record: { version: 1 } });
});
