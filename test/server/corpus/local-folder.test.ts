import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { createLocalFolder } from '../../../server/corpus/local-folder.ts';
import type { Storage, StoredFile } from '../../../server/corpus/storage.ts';
import { temporaryFolder } from '../../support/server.ts';
import { failureOf } from './memory-storage.ts';

/** A storage in a folder `root`, and a folder `other` beside it. */
async function folderWith(t: Test, files: Record<string, string>) {
  const base = await temporaryFolder(t, { 'other/secret.txt': 'secret', 'root/.keep': '' });
  const root = join(base, 'root');
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(root, name, '..'), { recursive: true });
    await writeFile(join(root, name), content);
  }
  return { root, other: join(base, 'other'), storage: createLocalFolder(root, 'the folder') };
}

async function namesOf(storage: Storage, folder = ''): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of storage.list(folder)) names.push(name);
  return names;
}

async function contentOf(
  storage: Storage,
  file: StoredFile,
  range?: { from: number; to: number },
): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of storage.read(file, range)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const found = async (storage: Storage, name: string): Promise<StoredFile> =>
  (await storage.find(name)) ?? { name, size: 0, version: 'none' };

t.test('files are listed in the order of the UTF-8 of their names', async (t) => {
  const anySegment = fc.constantFrom('a', 'a.txt', 'a-b', 'a0', 'ä', 'z', '\ue000', '😀', 'B', 'a b');
  const anyPath = fc.array(anySegment, { minLength: 1, maxLength: 3 }).map((path) => path.join('/'));
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(anyPath, { maxLength: 15 }), async (paths) => {
      const files = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}/`)));
      const { storage } = await folderWith(t, Object.fromEntries(files.map((path) => [path, path])));
      const expected = files
        .map((path) => Buffer.from(path))
        .sort(Buffer.compare)
        .map(String);
      const names = await namesOf(storage);
      if (names.join('\n') !== expected.join('\n')) throw new Error(`${names} instead of ${expected}`);
    }),
    { numRuns: 40 },
  );
  t.pass();
});

t.test(
  'a folder is listed with names from the root, and what is hidden or no file is left out',
  async (t) => {
    const { root, storage } = await folderWith(t, {
      'a/b/c.md': 'c',
      'a/.git/x': 'x',
      '.env': 'x',
      'ab/d': 'd',
    });
    spawnSync('mkfifo', [join(root, 'a/pipe')]);
    t.same(await namesOf(storage, 'a'), ['a/b/c.md']);
    t.same(await namesOf(storage), ['a/b/c.md', 'ab/d']);
    t.same(await namesOf(storage, 'no/such'), []);
    t.equal(await storage.find('a/pipe'), undefined);
    t.equal(await storage.find('a'), undefined);
    t.equal(await storage.find('a/b/c.md/d'), undefined);
    t.equal((await storage.find('.env'))?.size, 1);
  },
);

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
  t.equal(await contentOf(storage, await found(storage, 'a/shared/two.md')), '2');
  for (const name of ['a/out/secret.txt', 'a/out.txt', 'a/out']) {
    t.match(await failureOf(storage.find(name)), /path_outside: a\/out.* leads out of the folder/, name);
  }
  t.match(await failureOf(namesOf(storage, 'a/out')), /path_outside/);
  t.match(await failureOf(contentOf(storage, { name: 'a/out.txt', size: 6, version: '' })), /path_outside/);
  t.match(await failureOf(storage.create('a/out/new.txt')), /path_outside/);
  t.match(await failureOf(storage.create('a/out/deep/new.txt')), /path_outside/);
  t.match(await failureOf(storage.remove('a/out/secret.txt')), /path_outside/);
  t.match(await failureOf(storage.settle('a/one.md', 'a/out/one.md')), /path_outside/);
  t.same(await readdir(other), ['secret.txt']);
  await storage.remove('a/out.txt');
  t.equal(await readFile(join(other, 'secret.txt'), 'utf8'), 'secret', 'the link alone is removed');
});

t.test('names that are no path below the root are refused', async (t) => {
  const { storage } = await folderWith(t, { 'a/b': 'x' });
  const names = [
    '..',
    '../other/secret.txt',
    'a/../../other/secret.txt',
    '/etc/passwd',
    'a\\b',
    'a\0b',
    'a//b',
    './a/b',
    'a/',
    'a/..',
  ];
  for (const name of names) {
    t.match(await failureOf(storage.find(name)), /path_outside/, name);
    t.match(await failureOf(storage.create(name)), /path_outside/, name);
    t.match(await failureOf(storage.settle('a/b', name)), /path_outside/, name);
    t.match(await failureOf(storage.remove(name)), /path_outside/, name);
    t.match(await failureOf(namesOf(storage, name)), /path_outside/, name);
  }
});

t.test('a file is read in ranges, as long as it is of the version that is asked for', async (t) => {
  const content = 'x'.repeat(2_500_000);
  const { root, storage } = await folderWith(t, { 'a.txt': `ab${content}`, 'b.txt': 'b' });
  const file = await found(storage, 'a.txt');
  t.equal(file.size, 2_500_002);
  t.equal(await contentOf(storage, file, { from: 1, to: 4 }), 'bxx');
  t.equal((await contentOf(storage, file)).length, file.size);
  const reading = storage.read(file)[Symbol.asyncIterator]();
  t.ok(((await reading.next()).value?.length ?? 0) <= 1024 * 1024);
  await utimes(join(root, 'a.txt'), 1, 1);
  t.match(await failureOf(reading.next()), /source_changed: a.txt has changed/);
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
  const pieces = Array.from({ length: 3000 }, (_, index) =>
    Buffer.from(`${index} ${'x'.repeat(index % 700)}\n`),
  );
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
  const empty = await (await storage.create('empty')).finish();
  t.equal(empty.bytes, 0);
});

t.test('a file that is discarded leaves nothing, whenever that is', async (t) => {
  const { root, storage } = await folderWith(t, {});
  const writer = await storage.create('a');
  await writer.write(Buffer.alloc(1_000_000));
  await writer.discard();
  await writer.discard();
  t.same(await readdir(root), ['.keep']);
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
  t.match(
    await failureOf((await storage.create('a')).finish()),
    /storage_failed: .*there is a folder of this name/,
  );
  t.same((await readdir(root)).sort(), ['.keep', 'a']);
  if (process.getuid?.() === 0) return;
  await chmod(root, 0o500);
  t.match(await failureOf(storage.create('new')), /storage_failed: .*no permission/);
});

/** A small disk that is mounted in a folder; undefined if that may not be done here. */
async function smallDisk(t: Test): Promise<string | undefined> {
  const folder = await temporaryFolder(t);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status !== 0) return undefined;
  t.teardown(() => spawnSync('umount', [folder]));
  return folder;
}

const disk = await smallDisk(t);

t.test(
  'a full disk is an error that says what to do, and nothing stays',
  { skip: disk === undefined && 'no small disk can be mounted here' },
  async (t) => {
    const folder = disk ?? '';
    const storage = createLocalFolder(folder, 'the disk');
    const writer = await storage.create('a/large');
    const write = async () => {
      for (let index = 0; index < 20; index++) await writer.write(Buffer.alloc(100_000, 'x'));
      await writer.finish();
    };
    t.match(await failureOf(write()), /storage_failed: the disk cannot be used now: .*free some space/);
    await writer.discard();
    t.same(await readdir(join(folder, 'a')), []);
    const small = await storage.create('a/small');
    await small.write(Buffer.from('fits'));
    t.equal((await small.finish()).bytes, 4);
  },
);
