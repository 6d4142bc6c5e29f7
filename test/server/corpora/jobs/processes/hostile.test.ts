import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { zstdCompressSync } from 'node:zlib';
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter, parquetWriteBuffer } from 'hyparquet-writer';
import t from 'tap';
import { chunkInto, untilOver } from '../../../../soak/job-results.ts';
import { startProcess } from '../../../../support/process.ts';
import { between, createRandom } from '../../../../support/random.ts';
import { temporaryFolder } from '../../../../support/server.ts';

/** Files that are made to harm: their jobs end, in memory that is bounded, and `/health` is answered meanwhile. */

const skip = process.platform !== 'linux' && 'the most memory of a process is read from /proc';
const MB = 1_000_000;
/** Most bytes of a document. */
const LIMIT = 20 * MB;
/** Milliseconds: much for a machine that has much else to do, little for the square of a file. */
const MAX_HEALTH_MS = 10_000;

const many = <Made>(count: number, make: (index: number) => Made) =>
  Array.from({ length: count }, (_, index) => make(index));
const parquet = (data: unknown[], compress?: (bytes: Uint8Array) => Uint8Array) => {
  const columnData = [{ name: 'text', data, type: 'STRING' as const }];
  const packed = compress && { codec: 'ZSTD' as const, compressors: { ZSTD: compress } };
  return Buffer.from(parquetWriteBuffer({ columnData, ...packed }));
};
const zstd = (bytes: Uint8Array) => zstdCompressSync(bytes);
/** A file without rows. */
function schemaOf(children: number, elements: readonly SchemaElement[]): Buffer {
  const writer = new ByteWriter();
  new ParquetWriter({ writer, schema: [{ name: 'root', num_children: children }, ...elements] }).finish();
  return Buffer.from(writer.getBuffer());
}
const column = (index: number): SchemaElement => ({ name: `c${index}`, type: 'INT32' });
const group = (index: number): SchemaElement => ({ name: `g${index}`, num_children: 1 });
const wide = (columns: number, rows: number) =>
  `text${many(columns, (index) => `,c${index}`).join('')}\n${`x${','.repeat(columns)}\n`.repeat(rows)}`;

const FILES: Readonly<Record<string, () => string | Uint8Array>> = {
  'quotes.csv': () => `id,text\n1,a\n${'"'.repeat(50 * MB)}`,
  'nothing.csv': () => `id,text\n1,a\n${'\0'.repeat(50 * MB)}`,
  'field.csv': () => `id,text\n1,"${'x'.repeat(50 * MB)}"\n2,b\n`,
  'columns.csv': () => wide(MB, 1),
  'cells.csv': () => wide(9000, 800),
  'columns.parquet': () => schemaOf(200_000, many(200_000, column)),
  'deep.parquet': () => schemaOf(1, [...many(1000, group), column(0)]),
  'nulls.parquet': () => parquet(Array(MB).fill(null)),
  'dictionary.parquet': () => parquet(Array(100_000).fill('x'.repeat(MB))),
  'zip.parquet': () => parquet(['x'.repeat(200 * MB)], zstd),
  'lie.parquet': () => parquet(['x'], () => zstdCompressSync(Buffer.alloc(900 * MB))),
};
/** Besides what the process had: of CSV some copies of a document, of Parquet what a thread may take. */
const MEMORY: Readonly<Record<string, number>> = { csv: 30 * LIMIT, parquet: 3000 * MB };

function damaged(file: Buffer, seed: number): Buffer {
  const random = createRandom(seed);
  const bytes = Buffer.from(file);
  for (let count = between(random, 1, 8); count > 0; count--)
    bytes[between(random, 4, bytes.length - 9)] = between(random, 0, 255);
  return bytes;
}

t.test('files that are made to harm', { skip }, async (t) => {
  const root = await temporaryFolder(t);
  const flags = { 'data-dir': join(root, 'data'), 'bulk-root': root, 'max-body-bytes': LIMIT, workers: 1 };
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const server = startProcess(t, ['--host', '127.0.0.1', '--port', '0', ...args]);
  const api = await server.listening();
  const proc = `/proc/${server.child.pid}`;
  const memory = async (name: string) =>
    1024 * Number(new RegExp(`${name}:\\s*(\\d+)`).exec(await readFile(`${proc}/status`, 'utf8'))?.[1]);

  /** Does a job, and asks for `/health` until it is over. */
  async function survive(path: string, format: string): Promise<void> {
    await writeFile(`${proc}/clear_refs`, '5');
    const before = await memory('VmRSS');
    const id = await chunkInto(api, path, `out/${path}`, { source: { path, format } });
    const over = untilOver(api, id, 400).then(() => true);
    let longest = 0;
    while (!(await Promise.race([over, sleep(20, false)]))) {
      const begin = performance.now();
      t.equal((await api.get('/health')).status, 200);
      longest = Math.max(longest, performance.now() - begin);
    }
    const taken = (await memory('VmHWM')) - before;
    t.ok(taken < (MEMORY[format] ?? 0), `${path} took ${Math.round(taken / MB)} MB`);
    t.ok(longest < MAX_HEALTH_MS, `${path}: /health took ${Math.round(longest)} ms`);
  }

  for (const [name, content] of Object.entries(FILES)) {
    await writeFile(join(root, name), content());
    await survive(name, name.replace(/.*\./, ''));
  }
  const whole = [parquet(many(50, String)), parquet(many(50, String), zstd)];
  await mkdir(join(root, 'damaged'));
  for (let seed = 0; seed < 500; seed++)
    await writeFile(join(root, `damaged/${seed}.parquet`), damaged(whole[seed % 2] as Buffer, seed));
  await survive('damaged', 'parquet');
});
