import t from 'tap';
import { shardBytesFor } from '../../../server/corpora/plan-shards.ts';
import { failureOf, memoryStorage, plan } from './memory-storage.ts';

const files = {
  'kb/a.md': 'x'.repeat(10),
  'kb/b.txt': 'x'.repeat(10),
  'kb/c.jsonl': 'x'.repeat(100),
  'kb/d.csv': 'a,b\n',
  'kb/e.ndjson.gz': 'x'.repeat(50),
  'kb/f.pdf': 'x'.repeat(15),
  'kb/g.JSONL': '',
  'kc/h.md': 'x',
};

t.test('files become shards by their names, the same each time', async (t) => {
  const storage = memoryStorage(files);
  const shards = await plan(storage, { path: 'kb', format: 'auto', shardBytes: 40 });
  const found = shards.map(({ format, files, part, bytes }) => {
    const names = files.map(({ name }) => name).join();
    return `${format} ${names} ${part === undefined ? 'whole' : `${part.from}-${part.to}`} ${bytes}`;
  });
  t.same(found, [
    'jsonl kb/c.jsonl 0-33 33',
    'jsonl kb/c.jsonl 33-66 33',
    'jsonl kb/c.jsonl 66-100 34',
    'jsonl kb/e.ndjson.gz whole 50',
    'files kb/a.md,kb/b.txt,kb/d.csv,kb/f.pdf whole 39',
  ]);
  t.same(await plan(storage, { path: 'kb', format: 'auto', shardBytes: 40 }), shards);
  const whole = await plan(storage, { path: '', format: 'auto' });
  const sizes = whole.map(({ bytes }) => bytes);
  t.same(sizes, [100, 50, 40]);
});

t.test('a shard has no more files and bytes than it may', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`f${index}`, 'x'.repeat(index)]));
  const storage = memoryStorage(many);
  const counts = async (options: object) =>
    (await plan(storage, { path: '', format: 'files', ...options })).map(({ files }) => files.length);
  t.same(await counts({ shardDocuments: 10 }), [10, 10, 5]);
  const shards = await plan(storage, { path: '', format: 'files', shardBytes: 30 });
  t.ok(shards.every(({ files, bytes }) => bytes <= 30 || files.length === 1));
  const all = shards.reduce((sum, one) => sum + one.files.length, 0);
  t.equal(all, 25);
  t.same(await counts({}), [25]);
});

t.test('with a format, files of a folder are taken that have its ending, and a file as it is', async (t) => {
  const storage = memoryStorage(files);
  const names = async (path: string, format: 'csv' | 'jsonl' | 'files') =>
    (await plan(storage, { path, format })).flatMap((shard) => shard.files.map(({ name }) => name));
  t.same(await names('kb', 'csv'), ['kb/d.csv']);
  t.same(await names('kb', 'jsonl'), ['kb/c.jsonl', 'kb/e.ndjson.gz']);
  t.same(await names('kb/b.txt', 'jsonl'), ['kb/b.txt']);
  t.equal((await names('kb', 'files')).length, 7);
});

t.test('files that are given one by one are all taken', async (t) => {
  const storage = memoryStorage(files);
  const given = [storage.fileOf('kb/b.txt'), storage.fileOf('kc/h.md')];
  const [shard] = await plan(storage, { files: given, format: 'csv' });
  t.match(shard, { format: 'csv', files: [{ name: 'kb/b.txt' }] });
});

t.test('where nothing is, that is an error', async (t) => {
  const storage = memoryStorage(files);
  const failure = (path: string, format: 'auto' | 'parquet' = 'auto') =>
    failureOf(plan(storage, { path, format }));
  t.match(await failure('none'), /: none cannot be read: there is no such file, or folder with files\.$/);
  t.match(await failure('kb', 'parquet'), /: kb cannot .* it contains no files named like parquet\.$/);
  const empty = plan(memoryStorage({}), { path: '', format: 'auto' });
  t.match(await failureOf(empty), /^source_unreadable: memory/);
});

t.test('shards are as small as the workers need, within bounds', async (t) => {
  t.equal(shardBytesFor(1000, 4), 1_000_000);
  t.equal(shardBytesFor(64_000_000, 2), 4_000_000);
  t.equal(shardBytesFor(1e12, 16), 32_000_000);
});
