import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import t from 'tap';
import { noServers } from '../../../../servers/servers.ts';
import { byBytes } from '../../memory-storage.ts';
import { contentOf, failure, is, listed, type S3Request, write } from '../loopback.ts';
import { startMoto } from './moto.ts';

const CONTENT = randomBytes(3000);
/** Bytes of a part. */
const PART = 8_388_608;
const LARGE = randomBytes(2 * PART + 100);

/** Any text that S3 takes as a key and a storage as a name; moto knows no line feeds. */
const part = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 12 })
  .map((text) => text.replaceAll(/[/\n]/g, '+'))
  .filter((text) => !text.startsWith('.'));
const name = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));

t.test('buckets of moto', { skip: noServers }, async (t) => {
  const moto = await startMoto(t);

  await t.test('any name is written, found, listed in order, read and and removed', async (t) => {
    const bucket = await moto.open(t);
    const storage = bucket.storage({ prefix: 'a b/ü+%2F' });
    const names = fc.uniqueArray(name, { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(names, fc.uint8Array({ maxLength: 350 }), async (names, content) => {
        for (const one of names) await write(storage, one, content);
        const sorted = names.toSorted(byBytes);
        const files = await listed(storage);
        const found = JSON.stringify(files.map((file) => file.name));
        if (found !== JSON.stringify(sorted)) throw new Error(`listed ${found}`);
        for (const one of files) {
          if (!(await contentOf(storage, one)).equals(content)) throw new Error(`read of ${one.name}`);
          await storage.remove(one.name);
          if ((await storage.find(one.name)) !== undefined) throw new Error(`${one.name} is still there`);
        }
      }),
      { numRuns: 20 },
    );
    t.same(await bucket.keys(), []);
  });

  await t.test('any ranges of an object are read', async (t) => {
    const bucket = await moto.open(t);
    const content = CONTENT.subarray(0, 500);
    await bucket.put('a', content);
    const file = await bucket.storage().find('a');
    await fc.assert(
      fc.asyncProperty(fc.nat(600), fc.nat(600), async (from, to) => {
        const read = await contentOf(bucket.storage(), file, { from, to });
        if (!read.equals(content.subarray(from, to))) throw new Error(`${read.length} bytes`);
      }),
      { numRuns: 40 },
    );
  });

  await t.test('a list has all pages of a folder, without what is hidden or is a folder', async (t) => {
    const { storage, requests, ...bucket } = await moto.open(t);
    const hidden = 'kb/a/.git/x kb/.x kb/d/ kb/e//f kb/g/../h';
    for (const key of `kb/a.md kb/a/b.md ${hidden} kbc k`.split(' ')) await bucket.put(key, 'text');
    const namesOf = async (prefix: string, folder?: string) => {
      const read = (await listed(storage({ prefix }), folder)).filter(({ unread }) => unread === undefined);
      return read.map(({ name }) => name);
    };
    t.same(await namesOf('', 'kb'), ['kb/a.md', 'kb/a/b.md']);
    t.equal(requests.length, 3, 'of three keys each');
    t.same(await namesOf('kb'), ['a.md', 'a/b.md']);
    t.same(await namesOf('kb', 'a'), ['a/b.md']);
    t.same(await namesOf('', 'none'), []);
    const unread = (await listed(storage({ prefix: 'kb' }))).filter((file) => file.unread !== undefined);
    const reasons = unread.map(({ name, unread }) => `${name} ${unread?.skipped}`);
    t.same(reasons, ['.x ignored', 'd/ unreadable', 'e//f unreadable', 'g/../h unreadable']);
  });

  await t.test('a list says the size and the version that a look at the file says', async (t) => {
    const { storage, put } = await moto.open(t);
    await put('a', 'text');
    await write(storage(), 'b', CONTENT);
    for (const file of await listed(storage())) t.same(file, await storage().find(file.name));
    t.equal(await storage().find('c'), undefined);
  });

  await t.test('what was written is whole, and says its length and its hash', async (t) => {
    const { storage, requests, get, uploads } = await moto.open(t);
    for (const size of [0, 1, PART, PART + 1, 2 * PART + 100]) {
      const content = LARGE.subarray(0, size);
      const written = await write(storage(), `part-${size}`, content.subarray(0, 30), content.subarray(30));
      const sha256 = createHash('sha256').update(content).digest('hex');
      t.same(written, { name: `part-${size}`, bytes: size, sha256 });
      t.ok((await get(`part-${size}`)).equals(content));
    }
    t.equal(await uploads(), 0);
    const isWhole = ({ method, query }: S3Request) => method === 'PUT' && !query.has('partNumber');
    const whole = requests.filter(isWhole).map(({ key }) => key);
    t.same(whole, ['part-0', 'part-1', `part-${PART}`], 'small ones are sent in one request');
    t.equal(await storage().settle('part-1', 'part'), 'part-1', 'a bucket renames nothing');
  });

  await t.test('an upload is completed, whatever answers say and which are lost', async (t) => {
    const { storage, fail, put, get } = await moto.open(t);
    const isWhole = async (name: string) => {
      await write(storage(), name, LARGE);
      return (await get(name)).equals(LARGE);
    };
    const complete = is('POST', 'uploadId');
    fail(complete, { reply: { ...failure(500, 'InternalError'), status: 200 } });
    t.ok(await isWhole('error with 200'));
    fail(complete, 'lost');
    t.ok(await isWhole('answer lost'), 'the upload is over, and the object there');
    fail(is('PUT', 'partNumber'), 'lost');
    fail(is('PUT', 'partNumber'), { reply: failure(503, 'SlowDown') });
    t.ok(await isWhole('parts lost'));
    for (const name of ['gone', 'another object has this name']) {
      if (name !== 'gone') await put(name, LARGE);
      fail(complete, { reply: failure(404, 'NoSuchUpload') });
      await t.rejects(isWhole(name), /no longer knows the upload/, name);
    }
  });

  await t.test('what is discarded leaves nothing', async (t) => {
    const { storage, fail, requests, keys, uploads } = await moto.open(t);
    const begin = async (name: string, bytes: number) => {
      const writer = await storage().create(name);
      await writer.write(LARGE.subarray(0, bytes));
      return writer;
    };
    await (await begin('small', 4)).discard();
    await (await begin('large', LARGE.length)).discard();
    const failed = await storage().create('failed');
    for (let at = 0; at < 4; at++) fail(is('PUT', 'partNumber'), { reply: failure(503, 'SlowDown') });
    await failed.write(LARGE);
    await t.rejects(failed.finish(), { code: 'storage_failed' });
    await failed.discard();
    await failed.discard();
    t.same([await keys(), await uploads()], [[], 0]);
    const kept = await begin('kept', LARGE.length);
    await kept.finish();
    const before = requests.length;
    await kept.discard();
    t.equal(requests.length, before);
    t.same(await keys(), ['kept'], 'what is finished stays');
  });

  await t.test('one part is on its way, and the next one is filled: more is not in memory', async (t) => {
    const { storage, fail, requests, get } = await moto.open(t);
    const isPart = is('PUT', 'partNumber');
    const gate = Promise.withResolvers<void>();
    fail(isPart, { after: () => gate.promise });
    const writer = await storage().create('a');
    let taken = 0;
    const writing = (async () => {
      for (; taken < 40; taken++) await writer.write(LARGE.subarray(0, 1_000_000));
    })();
    while (!requests.some(isPart)) await turn();
    await sleep(100);
    t.equal(requests.filter(isPart).length, 1);
    t.ok(taken * 1_000_000 < 2 * PART + 2_000_000, `${taken} MB were taken`);
    gate.resolve();
    await writing;
    await writer.finish();
    t.equal((await get('a')).length, 40_000_000);
  });
});
