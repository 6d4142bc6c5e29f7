import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import t from 'tap';
import { failureOf, memoryStorage, plan, readPath, shown, sizeOf } from './memory-storage.ts';

const LINES = Array.from({ length: 600 }, (_, index) => JSON.stringify({ text: `line ${index} é👍🏽` }));
const TEXT = `${LINES.join('\n')}\n`;
const packZstd = (bytes: Uint8Array | string) =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
const packers = { gz: (bytes: Uint8Array | string) => gzipSync(bytes), zst: packZstd };

for (const [ending, pack] of Object.entries(packers)) {
  t.test(`lines of .${ending} are read, of several members and in pieces of any size`, async (t) => {
    const bytes = Buffer.from(TEXT);
    const members = [0, 1, 9000, 9001].map((from, index, all) => pack(bytes.subarray(from, all[index + 1])));
    for (const block of [1, 7, 1000, 1_000_000]) {
      const storage = memoryStorage({ [`a.jsonl.${ending}`]: Buffer.concat(members) }, block);
      const shards = await plan(storage, { path: `a.jsonl.${ending}`, format: 'auto', shardBytes: 10 });
      t.equal(shards.length, 1);
      const lines = await readPath(storage, `a.jsonl.${ending}`, 'auto');
      const expected = LINES.map((line) => JSON.parse(line));
      t.same(lines.map(shown), expected);
      t.equal(lines.at(-1)?.place.byte, bytes.length - Buffer.byteLength(LINES.at(-1) ?? '') - 1);
      const size = lines.reduce((sum, line) => sum + sizeOf(line), 0);
      t.ok(size <= (shards[0]?.bytes ?? 0), `${size} bytes in all`);
      const again = await readPath(storage, `a.jsonl.${ending}`, 'auto');
      t.ok(
        again.every((line, index) => sizeOf(line) === sizeOf(lines[index]) && again.length === lines.length),
      );
    }
  });

  t.test(`.${ending} of CSV and of files is read too`, async (t) => {
    const files = {
      [`a.csv.${ending}`]: pack('id,text\n1,a\n'),
      [`docs/b.md.${ending}`]: pack('# B'),
      [`t.tsv.${ending}`]: pack('id;x,y\ttext\n1\ta,b;c\n'),
    };
    const storage = memoryStorage(files, 5);
    t.same((await readPath(storage, `a.csv.${ending}`, 'csv')).map(shown), [{ id: '1', text: 'a' }]);
    const tabs = [{ metadata: { 'id;x,y': '1' }, text: 'a,b;c' }];
    t.same((await readPath(storage, `t.tsv.${ending}`, 'csv')).map(shown), tabs, 'tabs alone separate');
    t.same((await readPath(storage, 'docs', 'auto')).map(shown), [
      { id: `docs/b.md.${ending}`, filename: 'docs/b.md', text: '# B' },
    ]);
  });

  t.test(`.${ending} that is damaged is an error of the source`, async (t) => {
    const bytes = pack(TEXT);
    const changed = Buffer.from(bytes);
    changed.fill(0xaa, 100, 200);
    const longer = Buffer.concat([bytes, Buffer.from('more')]);
    const none = Buffer.from('no such thing');
    for (const damaged of [bytes.subarray(0, -5), bytes.subarray(0, 100), changed, none, longer]) {
      for (const block of [10, 100_000]) {
        const storage = memoryStorage({ [`a.jsonl.${ending}`]: damaged }, block);
        const failure = await failureOf(readPath(storage, `a.jsonl.${ending}`, 'auto'));
        t.match(failure, /source_unreadable: a.jsonl.* it is damaged/);
        t.equal(storage.counts.open, 0);
      }
    }
  });

  t.test(`of a bomb in .${ending} little is read, and nothing kept`, async (t) => {
    const bomb = pack(Buffer.alloc(20_000_000, 'x'));
    const csv = Buffer.concat([pack('text\n'), bomb]);
    const bombs = { [`a.jsonl.${ending}`]: bomb, [`b.md.${ending}`]: bomb, [`c.csv.${ending}`]: csv };
    const storage = memoryStorage(bombs, 512);
    const options = { limit: 100_000 };
    for (const format of ['jsonl', 'csv'] as const) {
      const name = `${format === 'csv' ? 'c' : 'a'}.${format}.${ending}`;
      const failure = await failureOf(readPath(storage, name, format, options));
      t.match(failure, /source_unreadable: .*bytes expand to more than/);
    }
    t.match((await readPath(storage, `b.md.${ending}`, 'auto', options)).map(shown), [
      /line_too_large: The file b.md|source_unreadable: b.md.* expand to/,
    ]);
    t.equal(storage.counts.open, 0);
  });
}

t.test('reading that stops early lets go of the file', async (t) => {
  const storage = memoryStorage({ 'a.jsonl.zst': zstdCompressSync(TEXT.repeat(100)) }, 100);
  const controller = new AbortController();
  const reading = readPath(storage, 'a.jsonl.zst', 'auto', { signal: controller.signal });
  setImmediate(() => controller.abort(new Error('enough')));
  await t.rejects(reading, { message: 'enough' });
  t.equal(storage.counts.open, 0);
});
