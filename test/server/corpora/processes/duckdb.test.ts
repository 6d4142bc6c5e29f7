import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { temporaryFolder } from '../../../support/server.ts';
import { jsonOf, memoryStorage, readPath } from '../memory-storage.ts';

/** Random values that DuckDB writes as Parquet are read as DuckDB prints them. `DUCKDB` is the path of its client for Node. */

interface DuckDb {
  readonly DuckDBInstance: { create(): Promise<{ connect(): Promise<Connection> }> };
}
interface Connection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRowObjects(): Record<string, string | null>[] }>;
}
const CLIENT: string = process.env.DUCKDB ?? '@duckdb/node-api';
const client = (await import(CLIENT).catch(() => undefined)) as DuckDb | undefined;
const skip = client === undefined && `${CLIENT} is not installed`;

const COUNT = 300;
const decimal = (precision: number, scale: number) =>
  `((random() - 0.5) * 10::DOUBLE ** ${precision - scale} * 1.9)::DECIMAL(${precision}, ${scale})`;
/** Between the years 1 and 9999. */
const SECONDS = '((random() * 315537897599)::BIGINT - 62135596800)';
const COLUMNS: Readonly<Record<string, string>> = {
  d4: decimal(4, 0),
  d9: decimal(9, 9),
  d18: decimal(18, 3),
  d20: decimal(20, 0),
  d38: decimal(38, 0),
  d38_19: decimal(38, 19),
  micros: `make_timestamp(${SECONDS} * 1000000 + (random() * 999999)::BIGINT)`,
  nanos: 'make_timestamp_ns(((random() - 0.5) * 18e18)::BIGINT)',
  time: 'make_time((random() * 23)::INT, (random() * 59)::INT, floor(random() * 59) + (random() * 999999)::INT / 1e6)',
  big: '((random() - 0.5) * 18e18)::BIGINT',
  ubig: '(random() * 18e18)::UBIGINT',
};

/** A value as DuckDB prints it: without a zero before the point, or at the end of a second. */
const printed = (json: string) => {
  const value = json.replaceAll('"', '').replace('T', ' ').replace('Z', '');
  const short = value.includes(':') ? value.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '') : value;
  return short.replace(/^(-?)0\./, '$1.');
};

for (const options of ['compression zstd', "compression snappy, parquet_version 'v2', row_group_size 128"]) {
  t.test(`values of DuckDB keep their digits: ${options}`, { skip }, async (t) => {
    const file = join(await temporaryFolder(t, {}), 'a.parquet');
    const connection = await (await (client as DuckDb).DuckDBInstance.create()).connect();
    const columns = Object.entries(COLUMNS).map(
      ([name, sql]) => `case when n % 7 = 0 then null else ${sql} end as ${name}`,
    );
    await connection.run(
      `copy (select ${columns.join(', ')}, 'x' as text from range(${COUNT}) t(n)) to '${file}' (format parquet, ${options})`,
    );
    const casts = Object.keys(COLUMNS).map((name) => `${name}::VARCHAR as ${name}`);
    const rows = await connection.runAndReadAll(`select ${casts.join(', ')} from '${file}'`);
    const storage = memoryStorage({ 'a.parquet': await readFile(file) });
    const lines = (await readPath(storage, 'a.parquet', 'auto')).map(jsonOf);
    t.equal(lines.length, COUNT);
    const read = lines.map((line) =>
      Object.fromEntries(
        Object.keys(COLUMNS).map((name) => {
          const [, json] = new RegExp(`"${name}":("[^"]*"|[-\\d.]+)`).exec(line) ?? [];
          return [name, json === undefined ? null : printed(json)];
        }),
      ),
    );
    const told = rows
      .getRowObjects()
      .map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value && printed(value)])),
      );
    t.same(read, told);
  });
}
