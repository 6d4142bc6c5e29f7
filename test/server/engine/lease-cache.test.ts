import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { type Lease, LeaseCache, type LeaseCacheOptions } from '../../../server/engine/stages/lease-cache.ts';

interface Value {
  readonly key: string;
  readonly size: number;
}

/** A cache of values whose openings the test ends, and what was opened and freed so far. */
function createCache(options: Partial<LeaseCacheOptions<Value>> = {}) {
  const opened: string[] = [];
  const freed: Value[] = [];
  const cache = new LeaseCache<Value>({
    max: 2,
    sizeOf: ({ size }) => size,
    free: (value) => void freed.push(value),
    ...options,
  });
  const open = (key: string, size = 0) =>
    cache.lease(key, async () => {
      opened.push(key);
      return { key, size };
    }) as Promise<Lease<Value>>;
  const use = async (key: string, size = 0) => (await open(key, size)).release();
  return { cache, opened, freed, freedKeys: () => freed.map(({ key }) => key), open, use };
}

/** An opening that ends when the test says so. */
function createOpening() {
  const { promise, resolve, reject } = Promise.withResolvers<Value | undefined>();
  const signals: AbortSignal[] = [];
  const open = (signal: AbortSignal) => {
    signals.push(signal);
    return promise;
  };
  return { open, resolve, reject, signals, isAborted: () => signals.some(({ aborted }) => aborted) };
}

t.test('those who ask for one key share its opening and its value', async (t) => {
  const { cache, freed } = createCache();
  const opening = createOpening();
  const asked = [1, 2, 3].map(() => cache.lease('a', opening.open));
  opening.resolve({ key: 'a', size: 0 });
  const leases = (await Promise.all(asked)) as Lease<Value>[];
  t.equal(new Set(leases.map(({ value }) => value)).size, 1);
  const isNew = leases.map(({ isNew }) => isNew);
  t.same(isNew, [true, false, false], 'it was opened for the first');
  for (const { release } of leases) release();
  const again = await cache.lease('a', opening.open);
  t.equal(again?.value, leases[0]?.value, 'it stays open when nobody uses it');
  t.equal(again?.isNew, false);
  t.equal(opening.signals.length, 1);
  t.same(freed, []);
});

t.test('neither a failure nor nothing is kept, and they displace nothing', async (t) => {
  const { cache, opened, open, use, freed } = createCache();
  const opening = createOpening();
  const asked = [1, 2].map(() => cache.lease('a', opening.open));
  opening.reject(new Error('no such luck'));
  for (const one of asked) await t.rejects(one, { message: 'no such luck' });
  t.equal(opening.signals.length, 1, 'all who waited heard of it');
  const anew = await open('a');
  t.equal(anew.isNew, true);
  anew.release();
  await use('b');
  for (const key of ['x', 'y', 'z', 'x'])
    t.equal(await cache.lease(key, async () => void opened.push(key) as undefined), undefined);
  for (const key of ['a', 'b']) await use(key);
  t.same(opened, ['a', 'b', 'x', 'y', 'z', 'x']);
  t.same(freed, []);
});

t.test('an opening is aborted when the last who waits gives up, and not before', async (t) => {
  const { cache, opened, open, freedKeys } = createCache();
  const opening = createOpening();
  const [one, other] = [new AbortController(), new AbortController()];
  const first = cache.lease('a', opening.open, one.signal);
  const second = cache.lease('a', opening.open, other.signal);
  one.abort(new Error('one gives up'));
  await t.rejects(first, { message: 'one gives up' }, 'it need not wait for the opening');
  t.equal(opening.isAborted(), false, 'the other still waits');
  other.abort(new Error('the other gives up'));
  await t.rejects(second, { message: 'the other gives up' });
  t.same([opening.isAborted(), opening.signals.length], [true, 1]);
  const anew = await open('a');
  t.same([anew.isNew, opened], [true, ['a']], 'who asks now opens anew');
  opening.resolve({ key: 'late', size: 0 });
  await nextTurn();
  anew.release();
  t.same(freedKeys(), ['late'], 'two of one key are not kept');
  await cache.close();
  t.same(freedKeys(), ['late', 'a'], 'each once');
});

t.test('who gives up takes nothing from those who go on waiting', async (t) => {
  const { cache } = createCache();
  const opening = createOpening();
  const [gone, stop] = [AbortSignal.abort(new Error('gone')), new AbortController()];
  await t.rejects(cache.lease('a', opening.open, gone), { message: 'gone' });
  t.equal(opening.signals.length, 0, 'a signal that has aborted already opens nothing');
  const first = cache.lease('a', opening.open, stop.signal);
  const second = cache.lease('a', opening.open);
  stop.abort(new Error('gone'));
  await t.rejects(first, { message: 'gone' });
  opening.resolve({ key: 'a', size: 0 });
  t.equal((await second)?.value.key, 'a');
});

async function holdAndFill(t: Test, options: Partial<LeaseCacheOptions<Value>>, size: number) {
  const { open, use, freedKeys } = createCache(options);
  const held = await open('held', size);
  for (const key of ['a', 'b', 'c', 'd']) await use(key, size);
  t.notOk(freedKeys().includes('held'), 'a value in use is not freed');
  held.release();
  return freedKeys();
}

t.test('what nobody uses is freed once beyond the limits, the least recently used first', async (t) => {
  const { use, freedKeys, opened } = createCache({ max: 3 });
  for (const key of ['a', 'b', 'c', 'a', 'd']) await use(key);
  t.same(freedKeys(), ['b'], 'a was used after it');
  await use('e');
  t.same(freedKeys(), ['b', 'c']);
  await use('b');
  t.same(freedKeys(), ['b', 'c', 'a']);
  t.same(opened, ['a', 'b', 'c', 'd', 'e', 'b'], 'what was freed is opened anew');
  t.same(await holdAndFill(t, { max: 2 }, 0), ['a', 'b', 'c'], 'by their number');
  t.same(await holdAndFill(t, { max: 9, maxSize: 20 }, 10), ['a', 'b', 'c'], 'by their size');
});

t.test('a value is in use until all have released it, each once however often it says so', async (t) => {
  const { cache, open, freedKeys } = createCache({ max: 1 });
  const [one, other] = [await open('a'), await open('a')];
  one.release();
  one.release();
  await cache.close();
  t.same(freedKeys(), [], 'the other still uses it');
  other.release();
  other.release();
  t.same(freedKeys(), ['a']);
});

t.test('closing frees what nobody uses and waits for it, and the rest on its release', async (t) => {
  const keys: string[] = [];
  const slow = async ({ key }: Value) => {
    await nextTurn();
    keys.push(key);
  };
  const { cache, open, use } = createCache({ free: slow });
  const held = await open('held');
  await use('idle');
  await cache.close();
  t.same(keys, ['idle']);
  held.release();
  await cache.close();
  t.same(keys, ['idle', 'held'], 'each once');
});

t.test('a value that nobody leases is freed after its time, a leased one is not', async (t) => {
  const { cache, opened, freedKeys, open, use } = createCache({ ttl: 20 });
  const leased = await open('leased');
  await use('idle');
  while (freedKeys().length === 0) await pause(5);
  t.same(freedKeys(), ['idle']);
  await use('idle');
  t.same(opened, ['leased', 'idle', 'idle'], 'and is opened again');
  leased.release();
  while (freedKeys().length < 3) await pause(5);
  t.same(freedKeys().sort(), ['idle', 'idle', 'leased']);
  t.equal(cache.kept('leased'), undefined);
});
