import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { chunkInto, untilOver } from '../../../../soak/job-results.ts';
import { startProcess } from '../../../../support/process.ts';
import { temporaryFolder } from '../../../../support/server.ts';
import { damagedParquet, HOSTILE_FILES } from '../hostile-parquet.ts';

/** Files that are made to harm: their jobs end, in memory that is bounded, and `/health` is answered meanwhile. */

const skip = process.platform !== 'linux' && 'the most memory of a process is read from /proc';
const MB = 1_000_000;
/** Most bytes of a document. */
const LIMIT = 20 * MB;
/** Milliseconds: much for a machine that has much else to do, little for the square of a file. */
const MAX_HEALTH_MS = 10_000;

const many = <Made>(count: number, make: (index: number) => Made) =>
  Array.from({ length: count }, (_, index) => make(index));
const wide = (columns: number, rows: number) =>
  `text${many(columns, (index) => `,c${index}`).join('')}\n${`x${','.repeat(columns)}\n`.repeat(rows)}`;

const FILES: Readonly<Record<string, () => string | Uint8Array>> = {
  'quotes.csv': () => `id,text\n1,a\n${'"'.repeat(50 * MB)}`,
  'nothing.csv': () => `id,text\n1,a\n${'\0'.repeat(50 * MB)}`,
  'field.csv': () => `id,text\n1,"${'x'.repeat(50 * MB)}"\n2,b\n`,
  'columns.csv': () => wide(MB, 1),
  'cells.csv': () => wide(9000, 800),
  ...Object.fromEntries(Object.entries(HOSTILE_FILES).map(([name, make]) => [`${name}.parquet`, make])),
};
/** Besides what the process had: of CSV some copies of a document, of Parquet what a thread may take. */
const MEMORY: Readonly<Record<string, number>> = { csv: 30 * LIMIT, parquet: 3000 * MB };

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
  await mkdir(join(root, 'damaged'));
  for (let seed = 0; seed < 500; seed++)
    await writeFile(join(root, `damaged/${seed}.parquet`), damagedParquet(seed));
  await survive('damaged', 'parquet');
});
