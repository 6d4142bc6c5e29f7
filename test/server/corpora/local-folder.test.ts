import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { ServiceError } from '../../../core/errors.ts';
import { createLocalFolder } from '../../../server/corpora/storage/local/folder.ts';
import { attempt, storageFailed } from '../../../server/corpora/storage/local/paths.ts';
import type { Storage, StoredFile } from '../../../server/corpora/storage/storage.ts';
import { temporaryFolder } from '../../support/server.ts';
import { byBytes, failureOf } from './memory-storage.ts';
import { contentOf, listed, write } from './s3/loopback.ts';

/** A storage in a folder `root`, and a folder `other` beside it. */
async function folderWith(t: Test, files: Record<string, string>) {
  const inRoot = Object.entries(files).map(([name, content]) => [`root/${name}`, content]);
  const beside = { 'other/secret.txt': 'secret', 'root/.keep': '' };
  const base = await temporaryFolder(t, { ...beside, ...Object.fromEntries(inRoot) });
  const root = join(base, 'root');
  return { root, other: join(base, 'other'), storage: createLocalFolder(root, 'the folder') };
}

const namesOf = async (storage: Storage, folder?: string) =>
  (await listed(storage, folder)).filter(({ unread }) => unread === undefined).map(({ name }) => name);

/** What is not read, and why in short. */
const unreadOf = async (storage: Storage) =>
  Object.fromEntries(
    (await listed(storage)).flatMap(({ name, unread }) =>
      unread === undefined ? [] : [[name, unread.brief]],
    ),
  );

const textOf = async (...reading: Parameters<typeof contentOf>) => (await contentOf(...reading)).toString();

const found = async (storage: Storage, name: string): Promise<StoredFile> =>
  (await storage.find(name)) ?? { name, size: 0, version: 'none' };

t.test('files are listed in the order of the UTF-8 of their names', async (t) => {
  const anySegment = fc.constantFrom('a', 'a.txt', 'a-b', 'a0', 'ä', 'z', '\ue000', '😀', 'B', 'a b');
  const anyPath = fc.array(anySegment, { minLength: 1, maxLength: 3 }).map((path) => path.join('/'));
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(anyPath, { maxLength: 15 }), async (paths) => {
      const files = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}/`)));
      const { storage } = await folderWith(t, Object.fromEntries(files.map((path) => [path, path])));
      const expected = files.toSorted(byBytes);
      const names = await namesOf(storage);
      if (names.join('\n') !== expected.join('\n')) throw new Error(`${names} instead of ${expected}`);
    }),
    { numRuns: 25 },
  );
});

t.test('a folder is listed with names from the root, without what is hidden or no file', async (t) => {
  const files = { 'a/b/c.md': 'c', 'a/.git/x': 'x', '.env': 'x', 'ab/d': 'd' };
  const { root, storage } = await folderWith(t, files);
  spawnSync('mkfifo', [join(root, 'a/pipe')]);
  t.same(await namesOf(storage, 'a'), ['a/b/c.md']);
  t.same(await namesOf(storage), ['a/b/c.md', 'ab/d']);
  t.same(await unreadOf(storage), {
    '.env': 'have a name that begins with a dot',
    '.keep': 'have a name that begins with a dot',
    'a/pipe': 'are neither file nor folder',
  });
  t.same(await namesOf(storage, 'no/such'), []);
  t.equal(await storage.find('a/pipe'), undefined);
  t.equal(await storage.find('a'), undefined);
  t.equal(await storage.find('a/b/c.md/d'), undefined);
  t.equal((await storage.find('.env'))?.size, 1);
});

t.test('links are followed within the root, once, and never out of it', async (t) => {
  const { root, other, storage } = await folderWith(t, { 'a/one.md': '1', 'shared/two.md': '2' });
  await symlink(other, join(root, 'a/out'));
  await symlink(join(other, 'secret.txt'), join(root, 'a/out.txt'));
  await symlink('../nowhere', join(root, 'a/dangling'));
  await symlink('..', join(root, 'a/up'));
  await symlink('../shared', join(root, 'a/shared'));
  await symlink('../a', join(root, 'shared/back'));
  await symlink('one.md', join(root, 'a/link.md'));
  t.same(await namesOf(storage), ['a/link.md', 'a/one.md', 'shared/two.md']);
  t.same(await namesOf(storage, 'a'), ['a/link.md', 'a/one.md', 'a/shared/two.md']);
  t.match(await unreadOf(storage), {
    'a/out': 'lead outside',
    'a/out.txt': 'lead outside',
    'a/dangling': 'link to nothing',
  });
  t.equal(await textOf(storage, await found(storage, 'a/shared/two.md')), '2');
  for (const name of ['a/out/secret.txt', 'a/out.txt', 'a/out']) {
    t.match(await failureOf(storage.find(name)), /path_outside: a\/out.* is outside the folder/, name);
  }
  for (const work of [
    () => namesOf(storage, 'a/out'),
    () => contentOf(storage, { name: 'a/out.txt', size: 6, version: '' }),
    () => storage.create('a/out/new.txt'),
    () => storage.create('a/out/deep/new.txt'),
    () => storage.remove('a/out/secret.txt'),
    () => storage.settle('a/one.md', 'a/out/one.md'),
  ])
    t.match(await failureOf(work()), /path_outside/, String(work));
  t.same(await readdir(other), ['secret.txt']);
  await storage.remove('a/out.txt');
  t.equal(await readFile(join(other, 'secret.txt'), 'utf8'), 'secret', 'the link alone is removed');
});

t.test('names that are no path below the root are refused', async (t) => {
  const { storage } = await folderWith(t, { 'a/b': 'x' });
  const outside = ['..', '../other/secret.txt', 'a/../../other/secret.txt', '/etc/passwd', 'a/..'];
  const settle = (name: string) => storage.settle('a/b', name);
  const list = (name: string) => namesOf(storage, name);
  const { find, create, remove } = storage;
  const works: ((name: string) => Promise<unknown>)[] = [find, create, remove, settle, list];
  for (const work of works) {
    for (const name of outside) t.match(await failureOf(work.call(storage, name)), /path_outside/, name);
    for (const name of ['a\0b', 'a//b', './a/b', 'a/'])
      t.match(await failureOf(work.call(storage, name)), /path_unusable: .* cannot be used: it /, name);
  }
});

t.test('a backslash is a character of a name, and a name that is not UTF-8 is told', async (t) => {
  const { root, storage } = await folderWith(t, { 'a\\b.md': '1', 'c\\d/e.md': '2' });
  await writeFile(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.of(0xe9), Buffer.from('.md')]), 'x');
  t.same(await namesOf(storage), ['a\\b.md', 'c\\d/e.md']);
  t.match(await unreadOf(storage), { 'caf\ufffd.md': 'have a name that is not UTF-8' });
  t.equal(await textOf(storage, await found(storage, 'c\\d/e.md')), '2');
  await storage.settle('a\\b.md', 'f\\g.md');
  t.equal(await textOf(storage, await found(storage, 'f\\g.md')), '1');
});

t.test('a file is read in ranges, as long as it is of the version that is asked for', async (t) => {
  const content = 'x'.repeat(2_500_000);
  const { root, storage } = await folderWith(t, { 'a.txt': `ab${content}`, 'b.txt': 'b' });
  const file = await found(storage, 'a.txt');
  t.equal(file.size, 2_500_002);
  t.equal(await textOf(storage, file, { from: 1, to: 4 }), 'bxx');
  t.equal((await contentOf(storage, file)).length, file.size);
  const reading = storage.read(file)[Symbol.asyncIterator]();
  t.ok(((await reading.next()).value?.length ?? 0) <= 1024 * 1024);
  await utimes(join(root, 'a.txt'), 1, 1);
  t.match(await failureOf(reading.next()), /source_changed: a.txt was changed/);
  t.match(await failureOf(contentOf(storage, file)), /source_changed/);
  const other = await found(storage, 'b.txt');
  await rm(join(root, 'b.txt'));
  t.match(await failureOf(contentOf(storage, other)), /source_changed/);
  spawnSync('mkfifo', [join(root, 'b.txt')]);
  t.match(await failureOf(contentOf(storage, other)), /source_changed/);
});

t.test('a written file appears under its name once it is whole', async (t) => {
  const { root, storage } = await folderWith(t, {});
  const writer = await storage.create('out/deep/part.jsonl');
  const lineOf = (index: number) => Buffer.from(`${index} ${'x'.repeat(index % 700)}\n`);
  const pieces = Array.from({ length: 3000 }, (_, index) => lineOf(index));
  for (const piece of pieces) await writer.write(piece);
  const [temporary, ...others] = await readdir(join(root, 'out/deep'));
  t.match(temporary, /^part\.jsonl\.tmp-/);
  t.same(others, []);
  const whole = Buffer.concat(pieces);
  const sha256 = createHash('sha256').update(whole).digest('hex');
  t.same(await writer.finish(), { name: 'out/deep/part.jsonl', bytes: whole.length, sha256 });
  await writer.discard();
  t.same(await readdir(join(root, 'out/deep')), ['part.jsonl']);
  t.ok(whole.equals(await readFile(join(root, 'out/deep/part.jsonl'))));
  t.equal((await write(storage, 'empty')).bytes, 0);
  const discarded = await storage.create('discarded');
  await discarded.write(Buffer.alloc(1_000_000));
  await discarded.discard();
  await discarded.discard();
  t.same((await readdir(root)).sort(), ['.keep', 'empty', 'out'], 'one that is discarded leaves nothing');
});

t.test('settling a file twice, and removing it twice, is as once', async (t) => {
  const { root, storage } = await folderWith(t, { 'a.tmp': 'new', 'done/a': 'old' });
  t.equal(await storage.settle('a.tmp', 'done/a'), 'done/a');
  t.equal(await storage.settle('a.tmp', 'done/a'), 'done/a');
  t.equal(await readFile(join(root, 'done/a'), 'utf8'), 'new');
  t.match(await failureOf(storage.settle('a.tmp', 'done/b')), /storage_failed: .*there is no file a.tmp/);
  await storage.remove('done/a');
  await storage.remove('done/a');
  await storage.remove('no/such/file');
  t.same(await namesOf(storage), []);
  t.match(await failureOf(storage.remove('done')), /storage_failed/);
});

t.test('a folder that is not there, or may not be used, is an error in words', async (t) => {
  const { root, storage } = await folderWith(t, { 'a/b': 'x' });
  await rename(root, `${root}-away`);
  t.match(await failureOf(storage.find('a')), /storage_failed: the folder cannot be used now: no such file/);
  t.match(await failureOf(storage.create('a')), /storage_failed/);
  await rename(`${root}-away`, root);
  const taken = await failureOf(write(storage, 'a'));
  t.match(taken, /storage_failed: .*there is a folder of this name/);
  t.same((await readdir(root)).sort(), ['.keep', 'a']);
  if (process.getuid?.() === 0) return;
  await chmod(root, 0o500);
  t.match(await failureOf(storage.create('new')), /storage_failed: .*no permission/);
});

const systemError = (code: string, errno?: number) =>
  Object.assign(new Error(`${code}: open '/secret/path'`), { code, ...(errno !== undefined && { errno }) });

/** Work that fails so many times, and how often it was tried. */
function failing(error: Error, times: number) {
  const counts = { tries: 0 };
  const work = async () => {
    if (++counts.tries <= times) throw error;
    return 'read';
  };
  return { counts, work };
}

t.test('what may pass is tried again, a few times', async (t) => {
  const passing = failing(systemError('EMFILE'), 2);
  t.equal(await attempt('the folder', passing.work), 'read');
  t.equal(passing.counts.tries, 3);
  const { counts, work } = failing(systemError('EMFILE'), 100);
  t.match(await failureOf(attempt('the folder', work)), /storage_failed: .*too many files open/);
  t.ok(counts.tries > 1 && counts.tries < 7, `${counts.tries} tries`);
});

t.test('what does not pass is not, and no message has a path of this machine', async (t) => {
  const { counts, work } = failing(systemError('EACCES', -13), 100);
  const failure = await failureOf(attempt('the folder', work));
  t.equal(failure, 'storage_failed: the folder cannot be used now: the server has no permission: grant it.');
  t.equal(counts.tries, 1);
  for (const error of [systemError('ENOTEMPTY', -39), systemError('EODD'), systemError('ENOSPC', -28)]) {
    t.notMatch(storageFailed('the folder', error).detail, /secret/);
  }
  const own = new ServiceError('source_changed', { source: 'a' });
  t.equal(storageFailed('the folder', own), own);
});
