import t from 'tap';
import { putByName } from '../../../server/service/put-by-name.ts';
import { failure, onBothDatabases, openStore, STEPS } from '../../support/stores.ts';

await onBothDatabases(t, async (t, fresh) => {
  const database = await fresh();
  const stores = [await openStore(t, database), await openStore(t, database)] as const;
  const [store, other] = stores;
  const draft = (name: string, description: string | null = null) => ({ name, description, steps: STEPS });
  const named = async (name: string) => (await store.list({ limit: 9, name })).pipelines;

  await t.test('the list of one name has the pipeline of exactly this name, or none', async (t) => {
    const created = await store.create(draft('Articles'));
    await store.create(draft('articles'));
    t.same(await store.list({ limit: 1, name: 'Articles' }), { pipelines: [created], hasMore: false });
    for (const name of ['ARTICLES', 'Article', 'Articles ', '%', "' or 1=1"]) t.same(await named(name), []);
    t.same((await store.list({ limit: 1, name: 'Articles', after: created })).pipelines, []);
  });

  await t.test('a new name is created, an old one gets all members anew', async (t) => {
    const first = await putByName(store, draft('whole', 'one'));
    t.equal(first.isNew, true);
    t.match(first.record, { name: 'whole', description: 'one', version: 1 });
    const second = await putByName(other, { ...draft('whole'), steps: STEPS.slice(0, 1) });
    t.equal(second.isNew, false);
    t.match(second.record, { id: first.record.id, description: null, steps: STEPS.slice(0, 1), version: 2 });
    t.equal((await putByName(store, { ...draft('whole'), steps: STEPS.slice(0, 1) })).record.version, 2);
    t.same(await named('whole'), [second.record]);
  });

  await t.test('versions that may be changed', async (t) => {
    t.equal(await failure(putByName(store, draft('absent'), '*')), 'pipeline_not_found');
    t.equal(await failure(putByName(store, draft('absent'), [1])), 'pipeline_not_found');
    t.same(await named('absent'), [], 'what must match nothing is not created');
    await putByName(store, draft('matched'));
    t.equal(await failure(putByName(store, draft('matched', 'no'), [2, 3])), 'precondition_failed');
    t.equal((await putByName(store, draft('matched', 'yes'), [1])).record.version, 2);
    t.equal((await putByName(store, draft('matched', 'too'), '*')).record.version, 3);
  });

  await t.test('of many at once on one name one creates, the others update, and none is lost', async (t) => {
    for (let round = 0; round < 2; round++) {
      const name = `wanted by all ${round}`;
      const all = Array.from({ length: 20 }, (_, index) => `${round}-${index}`);
      const puts = await Promise.all(
        all.map((text, index) => putByName(stores[index % 2] as typeof store, draft(name, text))),
      );
      t.equal(puts.filter(({ isNew }) => isNew).length, 1);
      t.same(new Set(puts.map(({ record }) => record.id)).size, 1);
      t.same(
        puts.map(({ record }) => record.version).sort((a, b) => a - b),
        all.map((_, index) => index + 1),
        'each made a version of its own',
      );
      const [last] = await named(name);
      t.equal(last?.version, 20);
      t.equal(last?.description, puts.find(({ record }) => record.version === 20)?.record.description);
    }
  });

  await t.test('a pipeline that is renamed meanwhile keeps its new name and members', async (t) => {
    const { id } = await store.create(draft('before', 'old'));
    let isRenamed = false;
    const overtaken: typeof store = {
      ...store,
      async update(...given) {
        if (!isRenamed) await other.update(id, { name: 'after' });
        isRenamed = true;
        return store.update(...given);
      },
    };
    const { record, isNew } = await putByName(overtaken, draft('before', 'new'));
    t.equal(isNew, true);
    t.not(record.id, id);
    t.match(await store.get(id), { name: 'after', description: 'old' });
  });

  await t.test('a pipeline that is deleted meanwhile is created again', async (t) => {
    const { id } = await store.create(draft('deleted', 'old'));
    const overtaken: typeof store = {
      ...store,
      async update(...given) {
        await other.delete(id).catch(() => {});
        return store.update(...given);
      },
    };
    t.match(await putByName(overtaken, draft('deleted', 'new')), { isNew: true, record: { version: 1 } });
  });
});
