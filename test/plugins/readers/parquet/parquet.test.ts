import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import t from 'tap';
import createReader from '../../../../plugins/readers/parquet/index.ts';
import { FIXTURES } from '../../../support/plugins.ts';
import { placed, readWith } from '../reading.ts';

const read = (bytes: Uint8Array) => readWith(createReader, bytes);
type Columns = Parameters<typeof parquetWriteBuffer>[0]['columnData'];
const written = (columnData: Columns, more = {}) =>
  new Uint8Array(parquetWriteBuffer({ columnData, ...more }));

t.test('rows are a table, each with its place', async (t) => {
  const file = await read(
    written([
      { name: 'name', data: ['tea', 'a|b\nc', null], type: 'STRING' },
      { name: 'count', data: [1n, 9_007_199_254_740_993n, null], type: 'INT64' },
      { name: 'is_hot', data: [true, false, null], type: 'BOOLEAN' },
      { name: 'price', data: [1.5, -0, Number.NaN], type: 'DOUBLE' },
      { name: 'list', data: [{ a: [1, 2] }, null, [null]], type: 'JSON' },
      { name: 'at', data: [new Date(0), new Date(1), null], type: 'TIMESTAMP' },
    ]),
  );
  t.equal(
    file.text,
    [
      '| name | count | is_hot | price | list | at |',
      '| - | - | - | - | - | - |',
      '| tea | 1 | true | 1.5 | {"a":[1,2]} | 1970-01-01T00:00:00Z |',
      '| a\\|b c | 9007199254740993 | false | -0 | | 1970-01-01T00:00:00.001Z |',
      '| | | | NaN | [null] | |',
    ].join('\n'),
  );
  t.same(
    placed(file).map(([text, place]) => [text.slice(0, 5), place]),
    [
      ['| tea', { row: 1 }],
      ['| a\\|', { row: 2 }],
      ['| | |', { row: 3 }],
    ],
  );
  t.same(file.metadata, { rows: 3, columns: 6 });
  t.equal(file.mediaType, 'text/markdown');
});

t.test('values of all types have all their digits', async (t) => {
  const { text } = await read(readFileSync(join(FIXTURES, '../parquet/types.parquet')));
  for (const value of [
    '12345678901234567890.1234567891',
    '2026-01-01T10:11:12.000001Z',
    '10:11:12.123456',
    '| 2026-01-31 |',
    '18446744073709551600',
    'P1M2DT3.004S',
    '[1.10,null,2.20]',
    '{"a":12345678901234567890.5,"t":"2026-01-01T00:00:00.000001Z","l":["01:02:03"]}',
  ])
    t.ok(text.includes(value), value);
});

t.test('row groups are read one after the other, and many rows share places', async (t) => {
  const numbers = Array.from({ length: 150_000 }, (_, index) => index);
  const { text, places = [] } = await read(
    written([{ name: 'n', data: numbers, type: 'INT32' }], { rowGroupSize: 40_000 }),
  );
  t.equal(text, `| n |\n| - |\n${numbers.map((number) => `| ${number} |`).join('\n')}`);
  t.equal(places.length, 75_000);
  t.match(places[1], { row: 3, last_row: 4 });
});

t.test('bytes that are not text are counted', async (t) => {
  const data = [Uint8Array.of(0xff, 0xfe), Uint8Array.of(0, 1), Buffer.from('tea')];
  const { text, leftOut } = await read(written([{ name: 'b', data, type: 'BYTE_ARRAY' }]));
  t.equal(text, '| b |\n| - |\n| (2 bytes) |\n| (2 bytes) |\n| tea |');
  t.same(leftOut, { binary_value: 2 });
});

t.test('files that are damaged, encrypted or too large are refused', async (t) => {
  const file = Buffer.from(written([{ name: 'n', data: [1, 2, 3], type: 'INT32' }]));
  const changed = (at: number, bytes: readonly number[]) => {
    const copy = Buffer.from(file);
    copy.set(bytes, at < 0 ? copy.length + at : at);
    return copy;
  };
  for (const [bytes, message] of [
    [Buffer.alloc(0), /it is not Parquet/],
    [file.subarray(0, -1), /it is not Parquet/],
    [changed(-1, [0x45]), /it is encrypted/],
    [changed(-8, [0xff, 0xff, 0xff, 0x7f]), /its metadata is longer/],
    [changed(4, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), /it is damaged \(/],
  ] as const)
    await t.rejects(read(bytes), { message, statusCode: 400 });
  const many = new Array<number>(1_000_001).fill(1);
  await t.rejects(read(written([{ name: 'n', data: many, type: 'INT32' }])), /more than 1000000 rows/);
});
