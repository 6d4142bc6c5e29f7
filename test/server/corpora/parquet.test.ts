import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { parquetWriteBuffer } from 'hyparquet-writer';
import t from 'tap';
import { ServiceError } from '../../../core/errors.ts';
import { failureOf, jsonOf, memoryStorage, plan, readPath, shown, sizeOf } from './memory-storage.ts';

const TEXTS = ['one', 'Zwölf Boxkämpfer 👍🏽', '她在门口', '', 'l1\nl2 "q"', 'x'.repeat(5000)];
const COMPRESSORS = {
  ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes),
  GZIP: (bytes: Uint8Array) => gzipSync(bytes),
  BROTLI: (bytes: Uint8Array) => brotliCompressSync(bytes),
};
const CODECS = ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'ZSTD', 'BROTLI'] as const;

type Options = Omit<Parameters<typeof parquetWriteBuffer>[0], 'compressors'>;
const written = (options: Options) =>
  Buffer.from(parquetWriteBuffer({ compressors: COMPRESSORS, codec: 'SNAPPY', ...options }));

const COUNT = 40;
const ROWS = Array.from({ length: COUNT }, (_, row) => row);
const TABLE: Options['columnData'] = [
  { name: 'id', data: ROWS.map((row) => 9_007_199_254_740_993n + BigInt(row)) },
  { name: 'text', data: ROWS.map((row) => TEXTS[row % TEXTS.length]) },
  { name: 'score', data: ROWS.map((row) => row / 4) },
  { name: 'at', data: ROWS.map((row) => (row % 3 === 0 ? null : new Date(row * 1000))) },
];
const document = (row: number) => ({
  id: String(9_007_199_254_740_993n + BigInt(row)),
  metadata: { score: row / 4, at: row % 3 === 0 ? undefined : new Date(row * 1000) },
  text: TEXTS[row % TEXTS.length],
});
const EXPECTED = ROWS.map((row) => JSON.parse(JSON.stringify(document(row))));

for (const codec of CODECS) {
  t.test(`rows in ${codec} come back as they were written, row group by row group`, async (t) => {
    const file = written({ columnData: TABLE, codec, rowGroupSize: 7 });
    const storage = memoryStorage({ 'a.parquet': file }, 1000);
    const shards = await plan(storage, { path: 'a.parquet', format: 'auto', shardBytes: 1 });
    const groups = shards.map(({ part }) => part?.from);
    t.same(groups, [0, 1, 2, 3, 4, 5]);
    const lines = await readPath(storage, 'a.parquet', 'parquet', { shardBytes: 1 });
    t.same(lines.map(shown), EXPECTED);
    const rows = lines.map(({ place }) => place.row);
    t.same(rows, ROWS);
    const sum = (sizes: readonly number[]) => sizes.reduce((all, size) => all + size, 0);
    t.equal(sum(lines.map(sizeOf)), sum(shards.map(({ bytes }) => bytes)));
  });
}

t.test('small row groups go together', async (t) => {
  const storage = memoryStorage({ 'a.parquet': written({ columnData: TABLE, rowGroupSize: 2 }) });
  const shards = await plan(storage, { path: 'a.parquet', format: 'auto' });
  t.equal(shards.length, 1);
  t.same(shards[0]?.part, { from: 0, to: 20 });
});

t.test('columns that are not needed are not read', async (t) => {
  const large = ROWS.map((row) => Buffer.alloc(20_000, row).toString('hex') + row);
  const columnData = [...TABLE, { name: 'large', data: large }];
  const storage = memoryStorage({ 'a.parquet': written({ columnData, codec: 'UNCOMPRESSED' }) });
  const lines = await readPath(storage, 'a.parquet', 'auto', { fields: { id: 'id', metadata: ['score'] } });
  t.same(lines.map(shown)[3], { id: EXPECTED[3].id, metadata: { score: 0.75 }, text: EXPECTED[3].text });
  t.ok(storage.counts.bytes < 400_000, `${storage.counts.bytes} bytes`);
});

t.test('lists and objects become JSON, and integers keep their digits', async (t) => {
  const columnData = [
    { name: 'text', data: ['a', 'b'] },
    { name: 'tags', type: 'JSON' as const, data: [{ a: [1, 'x'] }, null] },
    { name: 'big', data: [-9_223_372_036_854_775_808n, 1n] },
  ];
  const [line] = await readPath(memoryStorage({ 'a.parquet': written({ columnData }) }), 'a.parquet', 'auto');
  t.equal(line && jsonOf(line), '{"metadata":{"tags":{"a":[1,"x"]},"big":-9223372036854775808},"text":"a"}');
});

t.test('bytes that are not text are refused for their document, others are text', async (t) => {
  const columnData = [
    { name: 'text', data: ['a', 'b', 'c'] },
    { name: 'raw', type: 'BYTE_ARRAY' as const, data: [Buffer.from('é'), Buffer.from([0xff, 0]), null] },
  ];
  const storage = memoryStorage({ 'a.parquet': written({ columnData }) });
  const lines = await readPath(storage, 'a.parquet', 'auto');
  t.match(lines.map(shown), [
    { metadata: { raw: 'é' }, text: 'a' },
    /^invalid_parameters: raw: it holds bytes, which JSON cannot/,
    { text: 'c' },
  ]);
  const named = await readPath(storage, 'a.parquet', 'auto', { fields: { text: 'raw' } });
  t.match(named.map(shown), [{ text: 'é' }, /raw: .* got bytes that/, /raw: expected a text, got null/]);
});

t.test('a column of the text that is not there is one error, whatever rows there are', async (t) => {
  const storage = memoryStorage({ 'a.parquet': written({ columnData: TABLE }) });
  const [line, ...more] = await readPath(storage, 'a.parquet', 'auto', { fields: { text: 'body' } });
  t.same([line?.place, more], [{ source: 'a.parquet' }, []]);
  const problem = line && shown(line);
  t.match(problem, /invalid_parameters: text: there is no column body; the columns are id, text, score, at/);
});

t.test('of a dictionary that is repeated again and again, little is read', async (t) => {
  const storage = (text: string | null) =>
    memoryStorage({
      'a.parquet': written({ columnData: [{ name: 'text', data: Array(9000).fill(text), type: 'STRING' }] }),
    });
  for (const text of ['x'.repeat(1000), null]) {
    const reading = readPath(storage(text), 'a.parquet', 'auto', { limit: 10_000 });
    t.match(await failureOf(reading), /source_unreadable: .*bytes expand to more than/);
  }
});

t.test('files of lies are refused', async (t) => {
  const file = written({ columnData: TABLE, codec: 'UNCOMPRESSED' });
  const failure = (change: (bytes: Buffer) => Buffer) =>
    failureOf(readPath(memoryStorage({ 'a.parquet': change(Buffer.from(file)) }), 'a.parquet', 'auto'));
  const withLength = (length: number) => (bytes: Buffer) => {
    bytes.writeUInt32LE(length, bytes.length - 8);
    return bytes;
  };
  const begin = Buffer.from('PAR1');
  const padded = (bytes: Buffer) => Buffer.concat([begin, Buffer.alloc(33 << 20), bytes]);
  for (const [change, reason] of [
    [() => begin, /source_unreadable: a.parquet cannot be read: .*too short/],
    [() => Buffer.alloc(1000), /it does not begin and end with PAR1/],
    [(bytes) => bytes.subarray(0, -1), /it does not begin and end with PAR1/],
    [(bytes) => bytes.subarray(100), /it does not begin and end with PAR1/],
    [withLength(0xffffffff), /its metadata would be longer than the file/],
    [withLength(3), /source_unreadable/],
    [(bytes) => withLength(33 << 20)(padded(bytes)), /over the limit of/],
    [(bytes) => Buffer.concat([begin, bytes.subarray(-1000)]), /outside the file|cut off|number|length|type/],
  ] satisfies [(bytes: Buffer) => Buffer, RegExp][]) {
    t.match(await failure(change), reason);
  }
});

t.test('a file that is damaged anywhere gives rows or an error, and nothing else', async () => {
  const files = [
    written({ columnData: TABLE, codec: 'UNCOMPRESSED', rowGroupSize: 20 }),
    written({ columnData: TABLE, codec: 'ZSTD' }),
  ];
  const anyByte = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255));
  const anyDamage = fc.array(anyByte, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...files), anyDamage, fc.boolean(), async (file, damage, atEnd) => {
      const bytes = Buffer.from(file);
      const metadata = bytes.readUInt32LE(bytes.length - 8) + 8;
      const [from, length] = atEnd ? [bytes.length - metadata, metadata] : [0, bytes.length];
      for (const [place, byte] of damage)
        bytes[from + Math.min(length - 1, Math.floor(place * length))] = byte;
      const reading = readPath(memoryStorage({ 'a.parquet': bytes }), 'a.parquet', 'auto');
      await reading.catch((error) => {
        if (!(error instanceof ServiceError) || error.code !== 'source_unreadable') throw error;
      });
    }),
    { numRuns: 400 },
  );
});
