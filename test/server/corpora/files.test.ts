import { rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { ServiceError } from '../../../core/errors.ts';
import { readShard } from '../../../server/corpora/read-documents.ts';
import type { Decode, SourceLine } from '../../../server/corpora/shard.ts';
import { createLocalFolder } from '../../../server/corpora/storage/local/folder.ts';
import type { SourceStorage } from '../../../server/corpora/storage/storage.ts';
import { temporaryFolder } from '../../support/server.ts';
import { failureOf, memoryStorage, plan, readAll, readPath, shown, sizeOf } from './memory-storage.ts';

t.test('a file is a document with its name; text in UTF-8 is taken as it is', async (t) => {
  const storage = memoryStorage({ 'a/b.md': '\ufeff# Ä "👍🏽"\n\u2028', 'a/empty.txt': '' });
  const [first, second] = await readPath(storage, 'a', 'auto');
  t.same(first && shown(first), { id: 'a/b.md', filename: 'a/b.md', text: '# Ä "👍🏽"\n\u2028' });
  t.equal(sizeOf(first), 22);
  t.same(second && shown(second), { id: 'a/empty.txt', filename: 'a/empty.txt', text: '' });
});

t.test('what is no text is decoded, or else skipped and counted', async (t) => {
  const storage = memoryStorage({
    'a.bin': Buffer.from([1, 0, 2]),
    'b.pdf': Buffer.from('%PDF\xff\xfe', 'latin1'),
    'c.dat': Buffer.from([0xff]),
    'd.doc': Buffer.from([0xd0, 0xcf]),
    'e.txt': 'text',
  });
  const read = {
    text: 'of a PDF',
    title: 'T',
    places: [{ start: 0, end: 3, page: 1 }],
    metadata: { author: 'é' },
  };
  const seen: string[] = [];
  const decode: Decode = async ({ name, bytes, isText }) => {
    if (isText) return undefined;
    seen.push(`${name} ${bytes.length}`);
    if (name === 'd.doc') throw new ServiceError('unread_format', { file: name, known: 'none' });
    return name === 'b.pdf' ? read : ({ skipped: 'binary', detail: name, brief: 'are binary' } as const);
  };
  const lines = await readPath(storage, '', 'auto', { decode });
  const pdf = { id: 'b.pdf', filename: 'b.pdf', ...read };
  t.match(lines.map(shown), ['skipped', pdf, 'skipped', /unread_format/, { text: 'text' }]);
  t.same(seen, ['a.bin 3', 'b.pdf 6', 'c.dat 1', 'd.doc 2']);
  t.match(lines[0], { place: { source: 'a.bin' }, skipped: 'binary', detail: 'a.bin' });
  const without = (await readPath(storage, '', 'auto')).map(shown);
  t.same(without.slice(0, 4), Array(4).fill('skipped'));
});

t.test('a failure of the decoder that is none of a file ends the reading', async (t) => {
  const storage = memoryStorage({ 'a.bin': Buffer.from([0]), 'b.txt': 'b' });
  const decode = async () => {
    throw new Error('the pool has gone');
  };
  t.match(await failureOf(readPath(storage, '', 'auto', { decode })), /the pool has gone/);
  t.equal(storage.counts.open, 0);
});

t.test('files are read several at a time and given in their order', async (t) => {
  const names = Array.from({ length: 100 }, (_, index) => `f${String(index).padStart(3, '0')}.txt`);
  const files = names.map((name, index) => [name, `${name} `.repeat(index % 7 === 0 ? 3000 : 1)] as const);
  const storage = memoryStorage(Object.fromEntries(files), 100);
  const lines = await readPath(storage, '', 'auto');
  const sources = lines.map(({ place }) => place.source);
  t.same(sources, names);
  t.ok(storage.counts.maxOpen > 4 && storage.counts.maxOpen <= 8, `${storage.counts.maxOpen} at a time`);
});

t.test('large files are not read side by side', async (t) => {
  const large = Buffer.alloc(40_000_000, 'x');
  const storage = memoryStorage({ a: large, b: large, c: large }, 1_000_000);
  const lines = await readPath(storage, '', 'auto', { limit: 50_000_000, shardBytes: 1_000_000_000 });
  t.equal(lines.length, 3);
  t.equal(storage.counts.maxOpen, 1);
});

t.test('a file that is too large is an error of its own, without being read', async (t) => {
  const storage = memoryStorage({ a: 'x'.repeat(1000), b: 'b' });
  const lines = await readPath(storage, '', 'auto', { limit: 999 });
  t.match(lines.map(shown), [
    /line_too_large: The file a is longer than the limit of 999 bytes/,
    { text: 'b' },
  ]);
  t.equal(storage.counts.bytes, 1);
});

t.test('a file that has changed or gone is an error of its own', async (t) => {
  const folder = await temporaryFolder(t, { 'a.md': 'a', 'b.md': 'b', 'c.md': 'c' });
  const storage = createLocalFolder(folder);
  const [shard] = await plan(storage, { path: '', format: 'auto' });
  await rm(join(folder, 'a.md'));
  await utimes(join(folder, 'b.md'), 1, 1);
  const lines = shard === undefined ? [] : await readAll(storage, shard);
  t.match(lines.map(shown), [/source_changed: a.md/, /source_changed: b.md/, { text: 'c' }]);
});

/** All batches of a source, as they come. */
async function* batchesOf(storage: SourceStorage) {
  for (const shard of await plan(storage, { path: '', format: 'auto' }))
    yield* readShard(storage, shard, { limit: 10_000 });
}

/** The bytes of the documents that can be read. */
const bytesOf = (batch: readonly SourceLine[]) =>
  batch.flatMap((one) => ('document' in one && Buffer.isBuffer(one.document) ? [one.document] : []));

t.test('documents come in batches of some 256 KB', async (t) => {
  const line = JSON.stringify({ text: 'x'.repeat(5000) });
  const files = { 'a.jsonl': `${line}\n`.repeat(400), 'b.jsonl': '{"text":""}\n'.repeat(3000) };
  const counts: number[] = [];
  for await (const batch of batchesOf(memoryStorage(files))) {
    const bytes = bytesOf(batch).reduce((sum, { length }) => sum + length, 0);
    t.ok(batch.length <= 1000 && bytes < 256 * 1024 + 5100, `${batch.length} of ${bytes} bytes`);
    counts.push(batch.length);
  }
  t.ok(counts.length >= 10);
  const all = counts.reduce((sum, count) => sum + count, 0);
  t.equal(all, 3400);
});

t.test('of a large file little is kept in memory', async (t) => {
  const lines = `${JSON.stringify({ text: 'x'.repeat(2000) })}\n`.repeat(5000);
  let most = 0;
  for await (const batch of batchesOf(createLocalFolder(await temporaryFolder(t, { 'a.jsonl': lines })))) {
    const buffers = new Set(bytesOf(batch).map(({ buffer }) => buffer));
    const kept = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
    most = Math.max(most, kept);
  }
  t.ok(most > 0 && most <= 3 * 1024 * 1024, `the documents of a batch stand in ${most} bytes`);
});
