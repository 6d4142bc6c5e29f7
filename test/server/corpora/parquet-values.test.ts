import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { EXACT_PARSERS, withExactLeaves } from '../../../plugins/toolkit/parquet/index.ts';
import { FIXTURES } from '../../support/plugins.ts';
import { jsonOf, memoryStorage, readPath, shown } from './memory-storage.ts';

/** Values of Parquet that JavaScript's numbers and dates would round, in files that DuckDB 1.5 wrote. */

const fileOf = (name: string) => readFileSync(join(FIXTURES, '../parquet', name));
const types = memoryStorage({ 'a.parquet': fileOf('types.parquet') });
const ROWS = [0, 1, 2, 3, 4, 5];
const micros = (n: number) => (n === 0 ? '000' : `00000${n}`);

/** The JSON of each column in a row; undefined for one without a value. */
const COLUMNS: Readonly<Record<string, (row: number) => string | undefined>> = {
  d38: (row) => String(12_345_678_901_234_567_890n + BigInt(row)),
  d20: (row) => String(9_007_199_254_740_992n + BigInt(row)),
  d18: (row) => `-${1_234_567_890 + row}.12`,
  d9: (row) => ['-3.0000', '-1.5000', '0.0000', '1.5000', '3.0000', '4.5000'][row],
  d4: (row) => ['-1.0', '-0.5', '0.0', '0.5', '1.0', '1.5'][row],
  d3810: (row) => `${12_345_678_901_234_567_890n + BigInt(row)}.1234567891`,
  dmin: () => `-0.0000000001${'0'.repeat(28)}`,
  ts: (row) => `"2026-01-01T10:11:12.${micros(row)}Z"`,
  before_1970: (row) => `"1969-12-31T23:59:59.999${row === 0 ? '' : `${row}00`}Z"`,
  ns: (row) => `"2026-01-01T10:11:12.${row === 0 ? '000' : `00000000${row}`}Z"`,
  tz: () => '"2026-01-01T10:11:12.000001Z"',
  ms: () => '"2026-01-01T10:11:12.345Z"',
  t: () => '"10:11:12.123456"',
  midnight: () => '"00:00:00"',
  half: () => '"23:59:59.500"',
  day: () => '"2026-01-31T00:00:00.000Z"',
  big: (row) => String(9_223_372_036_854_775_800n + BigInt(row)),
  ubig: (row) => String(18_446_744_073_709_551_600n + BigInt(row)),
  uint: (row) => String(4_294_967_290 + row),
  span: () => '"P1M2DT3.004S"',
  nothing: () => '"PT0S"',
  list: () => '[1.10,null,2.20]',
  struct: () => '{"a":12345678901234567890.5,"t":"2026-01-01T00:00:00.000001Z","l":["01:02:03"]}',
  map: () => '{"2026-01-01T00:00:00.000001Z":1.50}',
  by_decimal: () => '{"1.50":"x"}',
  json: () => '{"a":12345678901234567890,"b":[1e400,-0]}',
  some: (row) => (row === 2 ? undefined : `${row}.25`),
};

t.test('every value is in the metadata with all its digits', async (t) => {
  const lines = await readPath(types, 'a.parquet', 'auto');
  const expected = ROWS.map((row) => {
    const members = Object.entries(COLUMNS).flatMap(([name, of]) => {
      const json = of(row);
      return json === undefined ? [] : [`"${name}":${json}`];
    });
    return `{"metadata":{${members.join(',')}},"text":"text ${row}"}`;
  });
  t.same(lines.map(jsonOf), expected);
});

t.test('rows with different values have different ids, which are their digits', async (t) => {
  for (const name of [
    'd38',
    'd20',
    'd18',
    'd9',
    'd4',
    'd3810',
    'ts',
    'before_1970',
    'ns',
    'big',
    'ubig',
    'uint',
  ]) {
    const lines = await readPath(types, 'a.parquet', 'auto', { fields: { id: name, title: name } });
    const expected = ROWS.map((row) => COLUMNS[name]?.(row)?.replaceAll('"', ''));
    t.same(
      lines.map((line) => JSON.parse(jsonOf(line)).id),
      expected,
      name,
    );
    t.same(
      lines.map((line) => JSON.parse(jsonOf(line)).title),
      expected,
      name,
    );
  }
});

t.test('a time is an id, a structure is none, and neither is a text', async (t) => {
  const idsBy = async (id: string) =>
    (await readPath(types, 'a.parquet', 'auto', { fields: { id } })).map(shown);
  t.match((await idsBy('t'))[0], { id: '10:11:12.123456' });
  for (const name of ['json', 'struct', 'map', 'list'])
    t.match((await idsBy(name))[0], new RegExp(`${name}: expected a text or a number`), name);
  for (const text of ['t', 'ts', 'd38', 'json', 'span']) {
    const [, line] = await readPath(types, 'a.parquet', 'auto', { fields: { text } });
    t.match(line && shown(line), /expected a text, got an object/, text);
  }
});

t.test('what JSON cannot express is refused with its row, wherever it is', async (t) => {
  const storage = memoryStorage({ 'a.parquet': fileOf('not-json.parquet') });
  const lines = await readPath(storage, 'a.parquet', 'auto');
  t.match(lines.slice(0, -1).map(shown), [
    /x: it holds Infinity, which JSON cannot represent/,
    /x: it holds -Infinity,/,
    /x: it holds NaN,/,
    /f: it holds Infinity,/,
    /t: it holds a time out of range,/,
    /d: it holds a time out of range,/,
    /d: it holds a time out of range,/,
    /l: it holds NaN,/,
    /s: it holds a time out of range,/,
    /b: it holds bytes,/,
  ]);
  t.same(
    lines.map(({ place }) => place.row),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  );
  const last = { t: '2026-01-01T00:00:00.000Z', d: '2026-01-01T00:00:00.000Z', l: [2.5] };
  t.match(lines.at(-1) && shown(lines.at(-1) as never), { metadata: { x: 1.5, f: 0.5, ...last, b: 'ok' } });
  const kept = await readPath(storage, 'a.parquet', 'auto', { fields: { metadata: ['b'] } });
  t.equal(
    kept.filter((line) => typeof shown(line) === 'string').length,
    1,
    'columns that are not kept do no harm',
  );
});

t.test('a time that no day has is out of range, and the ends of a day are not', (t) => {
  const units = [
    ['MILLIS', 1000n],
    ['MICROS', 1_000_000n],
    ['NANOS', 1_000_000_000n],
  ] as const;
  for (const [unit, perSecond] of units) {
    const [leaf] = withExactLeaves([
      { name: 't', type: 'INT64', logical_type: { type: 'TIME', unit, isAdjustedToUTC: true } },
    ]);
    t.equal(leaf?.converted_type, 'DATE', 'hyparquet takes it for a date');
    const read = (count: bigint) => EXACT_PARSERS.dateFromDays(count);
    const day = 86_400n * perSecond;
    const isOut = (count: bigint) => {
      const value = read(count);
      return value instanceof Date && Number.isNaN(value.getTime());
    };
    t.same([-1n, 0n, day, day + 1n].map(isOut), [true, false, false, true], unit);
    t.match([0n, day].map(read), [{ json: '"00:00:00"' }, { json: '"24:00:00"' }], unit);
  }
  t.end();
});
